//! Pictures: what they hold, and that they are whole.

use glam::DVec3;
use stiction_statics::gallery;
use stiction_statics::picture::{Picture, region};

/// Whether every tag is closed and every number finite.
fn is_whole(svg: &str) -> bool {
    let text = svg.replace("<title>", "").replace("</title>", "");
    let opened = text.matches("<polygon").count();
    let closed = text.matches("</polygon>").count()
        + text.lines().filter(|line| line.starts_with("<polygon") && line.ends_with("/>")).count();
    svg.starts_with("<svg")
        && svg.ends_with("</svg>\n")
        && opened == closed
        && !svg.contains("NaN")
        && !svg.contains("inf")
}

#[test]
fn every_structure_of_the_gallery_has_a_picture() {
    for (name, assembly) in gallery::all() {
        let forces: Vec<DVec3> =
            assembly.interfaces.iter().flat_map(|it| vec![it.normal; it.points.len()]).collect();
        let motion: Vec<(DVec3, DVec3)> =
            assembly.blocks.iter().map(|_| (DVec3::X, 0.1 * DVec3::Y)).collect();
        let caption = [format!("{name} <1> & 2")];
        let picture = Picture {
            assembly: &assembly,
            forces: Some(&forces),
            motion: Some(&motion),
            caption: &caption,
        };
        let svg = picture.svg();
        assert!(is_whole(&svg), "{name}:\n{svg}");
        assert!(svg.contains("&lt;1&gt; &amp; 2") && svg.contains("stroke-dasharray"), "{name}");
    }
}

/// In the arch, every voussoir has a piece of the thrust line; each of its interfaces a resultant.
#[test]
fn an_arch_has_a_line_of_thrust() {
    let arch = gallery::arch(9, 0.2, 0.7);
    let forces: Vec<DVec3> =
        arch.interfaces.iter().flat_map(|it| vec![it.normal; it.points.len()]).collect();
    let picture = Picture { assembly: &arch, forces: Some(&forces), motion: None, caption: &[] };
    let svg = picture.svg();
    let lines = |colour: &str| {
        svg.lines().filter(|line| line.starts_with("<line") && line.contains(colour)).count()
    };
    assert_eq!((lines("#d55e00"), lines("#0b4f8a")), (9, 10));
    assert!(svg.contains("voussoir 3: use 0.000"), "forces in the middle use nothing");
}

#[test]
fn blocks_without_forces_or_extent_are_drawn() {
    let mut table = gallery::all().into_iter().find(|(name, _)| *name == "table").unwrap().1;
    let nothing = Picture { assembly: &table, forces: None, motion: None, caption: &[] };
    assert!(is_whole(&nothing.svg()));
    let zero = vec![DVec3::ZERO; table.contact_count()];
    let rest = vec![(DVec3::ZERO, DVec3::ZERO); table.blocks.len()];
    let still =
        Picture { assembly: &table, forces: Some(&zero), motion: Some(&rest), caption: &[] };
    assert!(is_whole(&still.svg()));
    table.blocks.clear();
    table.interfaces.clear();
    let empty = Picture { assembly: &table, forces: None, motion: None, caption: &[] };
    assert!(is_whole(&empty.svg()));
}

#[test]
fn a_region_is_drawn_with_its_scale() {
    let inside = [[0.5, 0.0], [0.0, 0.4], [-0.5, 0.0], [0.0, -0.4]];
    let around = [[0.6, 0.1], [0.0, 0.5], [-0.6, 0.0], [0.0, -0.5]];
    let svg = region("pallet", &inside, &around, &[("road forward".into(), [0.8, 0.0])]);
    assert!(is_whole(&svg) && svg.contains("road forward") && svg.contains(">0.8<"), "{svg}");
    assert!(is_whole(&region("nothing", &[], &[], &[])));
}
