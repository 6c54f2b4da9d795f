//! A block on a table, by hand: what is a proof and what is not.

use stiction_check::{
    Block, Bracket, Case, Certificate, Claim, Contact, FORMAT, Model, Proof, Refusal, digest,
};

/// A cube of 1 m and 2 kg on a table, friction 0.5, pushed sideways by 1 N per unit of load.
fn cube() -> Model {
    let block = |name: &str, fixed, centre| Block {
        name: name.into(),
        fixed,
        mass: 2.0,
        centre,
        inertia: Some([[1.0 / 3.0, 0.0, 0.0], [0.0, 1.0 / 3.0, 0.0], [0.0, 0.0, 1.0 / 3.0]]),
    };
    let corner = |x: f64, y: f64| Contact {
        a: 1,
        b: 0,
        point: [x, y, 0.0],
        normal: [0.0, 0.0, 1.0],
        friction: 0.5,
    };
    Model {
        gravity: [0.0, 0.0, -10.0],
        blocks: vec![block("table", true, [0.0, 0.0, -0.5]), block("cube", false, [0.0, 0.0, 0.5])],
        contacts: vec![corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)],
        live: vec![[0.0; 6], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
    }
}

/// Forces under a push of `load` at the centre: the far corners carry more, with as much friction
/// per normal force everywhere.
fn forces(load: f64) -> Vec<[f64; 3]> {
    let corner = |x: f64| {
        let normal = 5.0 + x * load / 4.0;
        [-load / 20.0 * normal, 0.0, normal]
    };
    vec![corner(-1.0), corner(1.0), corner(1.0), corner(-1.0)]
}

fn live(live: f64) -> Case {
    Case { live, ..Case::default() }
}

/// Friction 0.5 of 20 N carries 10 N: the cube slides and topples at the same load.
fn certificate() -> Certificate {
    let slide = [1.0, 0.0, 0.5, 0.0, 0.0, 0.0];
    let mut certificate = Certificate {
        format: FORMAT.into(),
        name: "cube".into(),
        verdict: "must stand".into(),
        gap: None,
        model: cube(),
        claims: vec![
            Claim { case: Case::default(), proof: Proof::MustStand { normal: vec![5.0; 4] } },
            Claim { case: live(9.5), proof: Proof::Carried { forces: forces(9.5) } },
            Claim {
                case: live(10.5),
                proof: Proof::NotCarried { origin: [0.0; 3], motion: vec![[0.0; 6], slide] },
            },
        ],
        margins: vec![Bracket {
            what: "load factor".into(),
            direction: None,
            at_least: Some(9.5),
            at_most: Some(10.5),
            claims: [Some(1), Some(2)],
        }],
        digest: String::new(),
    };
    certificate.digest = digest(&certificate);
    certificate
}

#[test]
fn a_proof_is_accepted() {
    let accepted = certificate().check(&cube()).expect("a proof");
    assert_eq!(accepted.claims, 3);
    assert!(accepted.imbalance < 1e-15, "{accepted:?}");
}

#[test]
fn a_certificate_survives_a_file() {
    let text = serde_json::to_string_pretty(&certificate()).expect("JSON");
    assert_eq!(Certificate::parse(&text), Ok(certificate()));
}

#[test]
fn every_changed_digit_of_a_file_is_refused() {
    let text = serde_json::to_string(&certificate()).expect("JSON");
    for (at, digit) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let other = if digit == '9' { "8" } else { "9" };
        let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
        let accepted = Certificate::parse(&changed).and_then(|it| it.check(&cube()));
        assert!(accepted.is_err(), "accepted with {other} for {digit} at {at}");
    }
}

/// A certificate that was changed and given a new digest.
fn refused(change: impl Fn(&mut Certificate)) -> Refusal {
    let mut changed = certificate();
    change(&mut changed);
    changed.digest = digest(&changed);
    changed.check(&cube()).expect_err("it proves nothing")
}

#[test]
fn changes_that_matter_are_refused_by_the_laws() {
    let claim = |refusal: &Refusal| match refusal {
        Refusal::Claim { claim, .. } => *claim,
        other => panic!("{other}"),
    };
    let more = refused(|it| {
        if let Proof::Carried { forces } = &mut it.claims[1].proof {
            forces[2][2] += 1e-6;
        }
    });
    assert_eq!(claim(&more), 1);
    let outside = refused(|it| {
        it.claims[1].case = live(10.5);
        it.claims[1].proof = Proof::Carried { forces: forces(10.5) };
    });
    assert_eq!(claim(&outside), 1);
    let steeper = refused(|it| {
        if let Proof::NotCarried { motion, .. } = &mut it.claims[2].proof {
            motion[1][2] = 0.5 - 1e-12;
        }
    });
    assert_eq!(claim(&steeper), 2);
    let weaker = refused(|it| it.claims[2].case = live(9.9));
    assert_eq!(claim(&weaker), 2);
}

#[test]
fn a_certificate_of_another_model_is_refused() {
    for change in [
        (|it: &mut Certificate| it.model.contacts.truncate(it.model.contacts.len() - 1))
            as fn(&mut Certificate),
        |it| it.model.contacts[0].friction = 0.6,
        |it| it.model.blocks[1].mass = 2.1,
        |it| it.model.live[1][0] = 2.0,
        |it| it.model.gravity[2] = -9.81,
    ] {
        let refusal = refused(change);
        assert!(matches!(refusal, Refusal::Model(_)), "{refusal}");
    }
}

#[test]
fn margins_and_verdicts_must_follow() {
    assert!(matches!(refused(|it| it.margins[0].at_most = Some(10.4)), Refusal::Margin { .. }));
    assert!(matches!(
        refused(|it| it.margins[0].claims = [Some(2), Some(1)]),
        Refusal::Margin { .. }
    ));
    assert!(matches!(refused(|it| it.margins[0].claims[1] = None), Refusal::Margin { .. }));
    assert!(matches!(refused(|it| it.verdict = "cannot stand".into()), Refusal::Verdict { .. }));
    assert!(matches!(refused(|it| it.verdict = "need not stand".into()), Refusal::Verdict { .. }));
    assert!(matches!(refused(|it| it.verdict = "stands".into()), Refusal::Verdict { .. }));
}

/// A motion that the load opposes bounds the load from below: without a carried value it is no upper end.
#[test]
fn a_bound_on_the_other_side_is_refused() {
    let back = |it: &mut Certificate| {
        it.verdict = "undecided".into();
        it.claims = vec![Claim {
            case: live(-10.5),
            proof: Proof::NotCarried {
                origin: [0.0; 3],
                motion: vec![[0.0; 6], [-1.0, 0.0, 0.5, 0.0, 0.0, 0.0]],
            },
        }];
        it.margins[0].at_least = None;
        it.margins[0].at_most = Some(-10.5);
        it.margins[0].claims = [None, Some(0)];
    };
    assert!(matches!(refused(back), Refusal::Margin { .. }));
    let clamp = |it: &mut Certificate| {
        back(it);
        it.margins[0].what = "clamp factor".into();
        it.margins[0].at_least = Some(-10.5);
        it.margins[0].at_most = None;
        it.margins[0].claims = [Some(0), None];
    };
    let mut accepted = certificate();
    clamp(&mut accepted);
    accepted.digest = digest(&accepted);
    accepted.check(&cube()).expect("every smaller factor is not carried either");
}

#[test]
fn a_motion_from_rest_obeys_newton_and_coulomb() {
    let model = cube();
    // 12 N against 10 N of friction: 1 m/s² along x, at the brink of toppling.
    let along = |a: f64| vec![[0.0; 6], [a, 0.0, 0.0, 0.0, 0.0, 0.0]];
    let accelerates = |load: f64, friction: f64, a: f64| {
        stiction_check::moves(&model, &live(load), &forces(friction), &along(a))
    };
    assert!(accelerates(12.0, 10.0, 1.0).is_ok(), "{:?}", accelerates(12.0, 10.0, 1.0));
    assert!(accelerates(12.0, 9.0, 1.5).is_err(), "friction below its limit");
    assert!(accelerates(12.0, 10.0, 0.9).is_err(), "not Newton's law");
    assert!(accelerates(10.0, 10.0, 0.0).is_err(), "nothing moves");
}
