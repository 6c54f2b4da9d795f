//! Detection of interfaces: warped, tilted and non-convex faces, several interfaces per pair, and files of other
//! people, whose interfaces are known.

use glam::DVec3;
use stiction_statics::read::{self, Options};
use stiction_statics::{Assembly, InterfaceSource, Tolerance, detect};

type Solid = (Vec<[f64; 3]>, Vec<Vec<usize>>);

fn cuboid(low: [f64; 3], high: [f64; 3]) -> Solid {
    let ends = [low, high];
    let corner = |k: usize| [ends[k & 1][0], ends[k >> 1 & 1][1], ends[k >> 2][2]];
    let faces: [[usize; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    ((0..8).map(corner).collect(), faces.iter().map(|face| face.to_vec()).collect())
}

/// A polygon in the plane y = low, counter-clockwise seen from −y, swept to y = high.
fn prism(outline: &[[f64; 2]], low: f64, high: f64) -> Solid {
    let n = outline.len();
    let at = |y: f64| outline.iter().map(move |[x, z]| [*x, y, *z]);
    let mut faces: Vec<Vec<usize>> = vec![(0..n).collect(), (n..2 * n).rev().collect()];
    faces.extend((0..n).map(|k| vec![k, n + k, n + (k + 1) % n, (k + 1) % n]));
    (at(low).chain(at(high)).collect(), faces)
}

/// The first block is fixed.
fn text(blocks: &[Solid]) -> String {
    let block = |(k, (vertices, faces)): (usize, &Solid)| serde_json::json!({"vertices": vertices, "faces": faces, "fixed": k == 0, "density": 1.0});
    let blocks: Vec<_> = blocks.iter().enumerate().map(block).collect();
    serde_json::json!({"format": "assembly-1", "friction": 0.5, "blocks": blocks}).to_string()
}

fn assembly(blocks: &[Solid]) -> Assembly {
    read::parse(&text(blocks), "blocks.json", &Options::default()).unwrap()
}

fn within(gap: f64, blocks: &[Solid]) -> Assembly {
    let options = Options { gap: Some(gap), ..Options::default() };
    read::parse(&text(blocks), "blocks.json", &options).unwrap()
}

#[test]
fn boxes_touch_where_their_faces_overlap() {
    let found = assembly(&[cuboid([0.0; 3], [1.0; 3]), cuboid([0.5, 0.25, 1.0], [1.5, 0.75, 2.0])]);
    let [interface] = &found.interfaces[..] else { panic!("{:?}", found.interfaces) };
    assert_eq!((interface.a, interface.b, interface.friction), (0, 1, 0.5));
    assert_eq!(interface.normal, -DVec3::Z);
    assert_eq!(interface.points.len(), 4);
    for corner in [[0.5, 0.25, 1.0], [1.0, 0.25, 1.0], [1.0, 0.75, 1.0], [0.5, 0.75, 1.0]] {
        let near = |p: &DVec3| p.distance(DVec3::from(corner)) < 1e-15;
        assert!(interface.points.iter().any(near), "{corner:?} in {:?}", interface.points);
    }
}

#[test]
fn edges_and_corners_alone_are_no_interface() {
    let found = assembly(&[
        cuboid([0.0; 3], [1.0; 3]),
        cuboid([1.0, 0.0, 1.0], [2.0, 1.0, 2.0]),
        cuboid([-1.0, -1.0, 1.0], [0.0, 0.0, 2.0]),
    ]);
    assert!(found.interfaces.is_empty());
    assert_eq!(found.floating(), [1, 2]);
}

/// ```text
///   ▐██████▌   a table: two interfaces with the ground, and a block in the recess
///   ▐▌ ▐▌▐█▌   that touches three faces of it
/// ```
#[test]
fn a_pair_may_have_several_interfaces() {
    let table = [
        [0.0, 0.0],
        [1.0, 0.0],
        [1.0, 1.0],
        [2.0, 1.0],
        [2.0, 0.0],
        [3.0, 0.0],
        [3.0, 2.0],
        [0.0, 2.0],
    ];
    let found = assembly(&[
        cuboid([-1.0, 0.0, -1.0], [4.0, 1.0, 0.0]),
        prism(&table, 0.0, 1.0),
        cuboid([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]),
    ]);
    let count = |a, b| found.interfaces.iter().filter(|it| (it.a, it.b) == (a, b)).count();
    assert_eq!((count(0, 1), count(0, 2), count(1, 2)), (2, 1, 3));
}

/// An interface of non-convex shape is represented by the corners of its hull.
#[test]
fn a_non_convex_interface_has_the_corners_of_its_hull() {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let (mut vertices, faces) = prism(&outline, 0.0, 1.0);
    // The outline into the plane z = 1: a turn about x.
    for [_, y, z] in &mut vertices {
        (*y, *z) = (*z, 1.0 - *y);
    }
    let found = assembly(&[cuboid([-1.0, -1.0, -1.0], [3.0, 3.0, 0.0]), (vertices, faces)]);
    let [interface] = &found.interfaces[..] else { panic!("{:?}", found.interfaces) };
    assert_eq!(interface.points.len(), 5);
}

#[test]
fn a_gap_is_closed_within_the_tolerance_and_recorded() {
    let blocks = [cuboid([0.0; 3], [1.0; 3]), cuboid([0.0, 0.0, 1.004], [1.0, 1.0, 2.0])];
    let exact = assembly(&blocks);
    assert_eq!((exact.interfaces.len(), exact.floating()), (0, vec![1]));
    let loose = within(0.005, &blocks);
    assert_eq!((loose.contact_count(), loose.floating()), (4, vec![]));
    assert!(loose.interfaces[0].points.iter().all(|p| (p.z - 1.002).abs() < 1e-15));
    let InterfaceSource::Detected(tolerance) = loose.source else { panic!("{:?}", loose.source) };
    assert_eq!(tolerance.gap, 0.005);
    let tenth = detect::detect(loose, &tolerance.scaled(0.1)).unwrap();
    assert!(tenth.interfaces.is_empty());
}

#[test]
fn faces_at_an_angle_touch_within_the_tolerance() {
    let tilted = |angle: f64| {
        let (mut vertices, faces) = cuboid([0.0, 0.0, 1.0], [1.0, 1.0, 2.0]);
        let low = |v: &&mut [f64; 3]| v[0] == 1.0 && v[2] == 1.0;
        vertices.iter_mut().filter(low).for_each(|v| v[2] = 1.0 + angle);
        [cuboid([0.0; 3], [1.0; 3]), (vertices, faces)]
    };
    assert_eq!(within(0.001, &tilted(0.9e-3)).contact_count(), 4);
    assert_eq!(within(0.1, &tilted(1.1e-3)).contact_count(), 0, "the angle is above 1e-3");
    assert_eq!(within(0.0005, &tilted(0.9e-3)).contact_count(), 0, "a corner is beyond the gap");
}

#[test]
fn blocks_that_overlap_are_named_with_the_depth() {
    let blocks = [cuboid([0.0; 3], [1.0; 3]), cuboid([0.0, 0.0, 0.97], [1.0, 1.0, 2.0])];
    let error = read::parse(&text(&blocks), "model.json", &Options::default()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("blocks block 0 and block 1 overlap by 3.000e-2 m"), "{message}");
    assert_eq!(within(0.0301, &blocks).contact_count(), 4);
}

/// A non-convex block is cut into convex parts: what lies in its recess does not overlap it, what goes into its arm does.
#[test]
fn a_block_in_a_recess_does_not_overlap() {
    let outline = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 2.0],
        [2.0, 2.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let tub = || prism(&outline, 0.0, 1.0);
    let inside = assembly(&[tub(), cuboid([1.0, 0.0, 1.0], [2.0, 1.0, 2.5])]);
    assert_eq!(inside.interfaces.len(), 3);
    let into_arm = [tub(), cuboid([0.9, 0.0, 1.0], [2.0, 1.0, 2.5])];
    let error = read::parse(&text(&into_arm), "tub.json", &Options::default()).unwrap_err();
    assert!(error.to_string().contains("overlap by 1.000e-1 m"), "{error}");
}

#[test]
fn order_and_scale_do_not_matter() {
    let blocks = |scale: f64| -> Vec<Solid> {
        let corner = |r: f64, k: usize| {
            let angle = std::f64::consts::PI * k as f64 / 7.0;
            [scale * r * angle.cos(), scale * r * angle.sin()]
        };
        let voussoir = |k: usize| {
            let ring = [corner(1.0, k), corner(1.1, k), corner(1.1, k + 1), corner(1.0, k + 1)];
            prism(&ring, 0.0, 0.3 * scale)
        };
        let ground = cuboid([-2.0 * scale, 0.0, -scale], [2.0 * scale, 0.3 * scale, 0.0]);
        [ground].into_iter().chain((0..7).map(voussoir)).collect()
    };
    for scale in [1e-6, 1e-3, 1.0, 1e3] {
        let forward = assembly(&blocks(scale));
        assert_eq!((forward.interfaces.len(), forward.contact_count()), (8, 32), "{scale}");
        let mut turned = blocks(scale);
        turned[1..].reverse();
        let backward = assembly(&turned);
        for point in forward.interfaces.iter().flat_map(|it| &it.points) {
            let near = |p: &DVec3| p.distance(*point) < 1e-13 * scale;
            assert!(backward.interfaces.iter().flat_map(|it| &it.points).any(near));
        }
    }
}

/// The number of interfaces and corners of every assembly in `../shared/data/assemblies`.
#[test]
fn assemblies_of_others_have_the_interfaces_that_are_known() {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let Ok(table) =
        std::fs::read_to_string(format!("{shared}/peers/statics/results_reference.csv"))
    else {
        println!("skipped: {shared} is not there");
        return;
    };
    let mut seen = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let path = format!("{shared}/data/assemblies/{}", cells[0]);
        let found = read::open(path.as_ref(), &Options::default()).unwrap();
        let counts = [found.blocks.len(), found.interfaces.len(), found.contact_count()];
        let known: Vec<usize> = cells[1..4].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(counts[..], known[..], "{}", cells[0]);
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn the_default_tolerance_is_a_millionth_of_the_size() {
    let found = assembly(&[cuboid([0.0; 3], [9.0; 3]), cuboid([0.0, 0.0, 9.0], [3.0, 4.0, 21.0])]);
    let Tolerance { gap, area, angle } = Tolerance::of(&found);
    assert!((gap - 13e-6).abs() < 1e-18 && area.is_none() && angle == 1e-3);
}
