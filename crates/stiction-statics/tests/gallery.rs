//! The gallery and its files in `corpus/assemblies`.

use stiction_statics::gallery;
use stiction_statics::{Options, Statics, Verdict, read};

fn path(name: &str) -> std::path::PathBuf {
    format!("{}/../../corpus/assemblies/{name}.json", env!("CARGO_MANIFEST_DIR")).into()
}

/// `STICTION_WRITE=1` writes the files.
#[test]
fn the_files_are_those_of_the_gallery() {
    for (name, assembly) in gallery::all() {
        let text = assembly.to_json();
        if std::env::var_os("STICTION_WRITE").is_some() {
            std::fs::write(path(name), &text).unwrap();
        }
        let file = std::fs::read_to_string(path(name)).unwrap();
        assert!(file == text, "{name} differs: STICTION_WRITE=1 writes it");
    }
}

#[test]
fn a_file_has_the_interfaces_of_its_assembly() {
    for (name, assembly) in gallery::all() {
        assert!(assembly.floating().is_empty(), "{name}: {:?}", assembly.floating());
        let read = read::open(&path(name), &read::Options::default()).unwrap();
        assert_eq!(read.interfaces, assembly.interfaces, "{name}");
        assert_eq!(read.load, assembly.load, "{name}");
        assert_eq!(read.blocks, assembly.blocks, "{name}");
    }
}

/// The walls of Ferris and Tin-Loi: blocks and contact points as published.
#[test]
fn walls_have_the_published_counts() {
    let counts = [1, 6].map(|number| {
        let wall = gallery::wall(number);
        (wall.blocks.len() - 1, wall.contact_count())
    });
    assert_eq!(counts, [(33, 332), (146, 1380)]);
}

#[test]
fn an_assembly_grows_block_by_block() {
    let wall = gallery::wall(1);
    let none = wall.with_first(0);
    assert_eq!((none.blocks.len(), none.interfaces.len(), none.load.len()), (1, 0, 0));
    let ten = wall.with_first(10);
    assert_eq!((ten.blocks.len(), ten.load.len()), (11, 10));
    assert!(ten.floating().is_empty());
    assert!(ten.interfaces.iter().all(|it| it.a < 11 && it.b < 11));
    assert_eq!(wall.with_first(33), wall);
}

/// Each structure of the gallery stands or falls as its name and the literature say.
#[test]
fn every_structure_has_its_verdict() {
    for (name, assembly) in gallery::all() {
        let verdict = Statics::new(&assembly).stands(&Options::default()).verdict;
        match name {
            "peg" => assert_eq!(verdict, Verdict::NeedNot, "{name}"),
            "pallet" | "table" => assert_eq!(verdict, Verdict::Must, "{name}"),
            _ => {
                let falls = ["arch_falls", "stack_falls", "ladder_slips"].contains(&name);
                assert_eq!(verdict.can(), Some(!falls), "{name}: {}", verdict.name());
            }
        }
    }
}

/// The associative limit loads of the walls of Ferris and Tin-Loi to seven digits; they print three.
#[test]
fn walls_carry_the_published_loads() {
    let known = [0.642_859_00, 0.579_998_61, 0.403_694_10, 0.331_948_40, 0.239_642_52];
    for (k, known) in known.into_iter().enumerate() {
        let margin = Statics::new(&gallery::wall(k + 1)).load_factor();
        let (low, high) = (margin.at_least.unwrap(), margin.at_most.unwrap());
        assert!(
            low <= high && (low - known).abs() < 2e-8 && (high - known).abs() < 2e-8,
            "{low} {high}"
        );
    }
}

/// Motions are certified at loads at least as low as those that an independent program found: on walls 1 to 5
/// from the contact modes of one motion, on wall 6 by trying loads. Ferris and Tin-Loi have 0.640, 0.563, 0.356,
/// 0.264, 0.215 and 0.297 as limits without dilation.
#[test]
fn walls_may_move_below_the_associative_limit() {
    let known = [0.639_301, 0.558_589, 0.360_494, 0.263_868, 0.213_971, 0.326_580];
    for (k, known) in known.into_iter().enumerate() {
        let wall = gallery::wall(k + 1);
        let statics = Statics::new(&wall);
        let limit = statics.limit_load();
        let from = limit.at_most.expect("a motion");
        assert!(from <= known, "wall {}: {from}", k + 1);
        let answer = statics.stands(&Options { must: false, need_not: false });
        statics.certificate(&wall, &answer, &[limit]).check(&statics.model).expect("accepted");
    }
}
