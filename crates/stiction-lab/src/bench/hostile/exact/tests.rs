//! Answers with known verdicts.

use super::super::given::{Given, GivenBody, GivenContact, GivenRow, WORLD};
use super::super::laws::Claim;
use super::super::verdict::{self, Distance, Verdict};
use super::*;
use stiction_solvers::ContactForce;
use stiction_solvers::Level;

/// A ball of 2 kg with a large inertia on a rough floor, pushed sideways with `push` newtons.
fn ball(push: f64) -> Given {
    let mut given = Given::new(Level::Acceleration);
    given.bodies.push(GivenBody {
        mass: Some(2.0),
        inertia: Some([[1e15, 0.0, 0.0], [0.0, 1e15, 0.0], [0.0, 0.0, 1e15]]),
        position: [0.0, 0.0, 1.0],
        wrench: Some([push, 0.0, -20.0, 0.0, 0.0, 0.0]),
        ..GivenBody::default()
    });
    given.contacts.push(GivenContact {
        a: 0,
        b: WORLD,
        point: [0.0, 0.0, 0.0],
        normal: [0.0, 0.0, 1.0],
        mu: 0.5,
        mu_dynamic: None,
        law: None,
        direction: None,
        tangent: None,
        bias: None,
    });
    given
}

fn verdict_of(given: &Given, normal: f64, friction: [f64; 3], claim: Claim) -> Verdict {
    let exact = Exact::new(given).expect("a definite inertia");
    let contacts = vec![ContactForce { normal, friction }];
    let checked = exact.check(&Forces { contacts, bilateral: vec![], bounded: vec![] }, true);
    Distance::from_law(&checked, 0, claim).verdict(true)
}

#[test]
fn a_push_beyond_friction_makes_it_slide() {
    let given = ball(15.0);
    let of = |normal, friction| verdict_of(&given, normal, friction, Claim::MaximumDissipation);
    assert_eq!(of(20.0, [-10.0, 0.0, 0.0]), Verdict::Right);
    assert_eq!(of(20.0, [-9.999, 0.0, 0.0]), Verdict::Wrong, "less than its limit");
    assert_eq!(of(20.0, [-10.001, 0.0, 0.0]), Verdict::Wrong, "beyond its limit");
    assert_eq!(of(20.0, [10.0, 0.0, 0.0]), Verdict::Wrong, "along the slip");
    assert_eq!(of(19.999, [-9.9995, 0.0, 0.0]), Verdict::Wrong, "too weak");
    assert_eq!(of(20.001, [-10.0005, 0.0, 0.0]), Verdict::Wrong, "too strong");
    assert_eq!(of(-20.0, [0.0, 0.0, 0.0]), Verdict::Wrong, "pulls");
}

#[test]
fn opposition_leaves_the_direction_open() {
    let given = ball(15.0);
    let (sin, cos) = 0.01_f64.sin_cos();
    let turned = [-10.0 * cos, 10.0 * sin, 0.0];
    assert_eq!(verdict_of(&given, 20.0, turned, Claim::Opposition), Verdict::Right);
    assert_eq!(verdict_of(&given, 20.0, turned, Claim::MaximumDissipation), Verdict::Wrong);
    let along = [10.0, 0.0, 0.0];
    assert_eq!(verdict_of(&given, 20.0, along, Claim::Opposition), Verdict::Wrong);
}

/// The direction of a square nearest to the push is its corner: friction of the same sum.
#[test]
fn pyramids_have_their_own_limit() {
    let mut given = ball(15.0);
    given.bodies[0].wrench = Some([15.0, 5.0, -20.0, 0.0, 0.0, 0.0]);
    let of = |friction, claim| verdict_of(&given, 20.0, friction, claim);
    // The slip is fastest along x, and along y alone friction holds what is left.
    assert_eq!(of([-10.0, 0.0, 0.0], Claim::Pyramid(4)), Verdict::Right);
    assert_eq!(of([-9.0, -1.0, 0.0], Claim::Pyramid(4)), Verdict::Wrong);
    assert_eq!(of([-10.0, 0.0, 0.0], Claim::MaximumDissipation), Verdict::Wrong);
}

#[test]
fn a_small_push_is_held() {
    let given = ball(3.0);
    let of = |friction| verdict_of(&given, 20.0, friction, Claim::MaximumDissipation);
    assert_eq!(of([-3.0, 0.0, 0.0]), Verdict::Right);
    assert_eq!(of([-2.999, 0.0, 0.0]), Verdict::Wrong);
    assert_eq!(of([0.0, 0.0, 0.0]), Verdict::Wrong);
}

/// Cofactors against what a thin plate turned by 45 degrees has.
#[test]
fn inertias_of_condition_1e14_are_inverted() {
    let (thin, thick) = (1e-14, 1.0);
    let (mean, half) = (0.5 * (thin + thick), 0.5 * (thick - thin));
    let inverse = parts::inverted(&[[mean, half, 0.0], [half, mean, 0.0], [0.0, 0.0, 2.0]]);
    let inverse = inverse.expect("definite");
    // Entries as rounded: (m − h)(m + h) is what counts, not 1e-14 exactly.
    let determinant = (mean - half) * (mean + half);
    assert!((inverse[0][0].value() * determinant / mean - 1.0).abs() < 1e-15);
    assert_eq!(inverse[2][2].value(), 0.5);
    assert!(parts::inverted(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).is_none());
}

/// The ball driven sideways by a motor towards the velocity `target`, with a limited force.
#[test]
fn a_bounded_row_does_what_it_can() {
    let mut given = ball(15.0);
    given.contacts.clear();
    given.bounded.push(GivenRow {
        a: 0,
        b: WORLD,
        on_a: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        on_b: [0.0; 6],
        bias: 0.0,
        lower: Some(-10.0),
        upper: Some(10.0),
    });
    let of = |given: &Given, force: f64| {
        let exact = Exact::new(given).expect("a definite inertia");
        let checked = exact
            .check(&Forces { contacts: vec![], bilateral: vec![], bounded: vec![force] }, true);
        Distance::from_law(&checked, 0, Claim::MaximumDissipation).verdict(true)
    };
    assert_eq!(of(&given, -10.0), Verdict::Right, "all it can, and not enough");
    assert_eq!(of(&given, -9.99), Verdict::Wrong);
    assert_eq!(of(&given, -15.0), Verdict::Wrong, "more than it can");
    given.bounded[0].lower = None;
    assert_eq!(of(&given, -15.0), Verdict::Right);
    given.bounded[0].lower = Some(7.0);
    given.bounded[0].upper = Some(7.0);
    assert_eq!(of(&given, 7.0), Verdict::Right, "the only force that it has");
}

/// Forces that grow along a ray must not separate the bodies where they act.
#[test]
fn an_impulse_that_lifts_the_ball_is_no_ray() {
    let exact = Exact::new(&ball(0.0)).expect("a definite inertia");
    let contacts = vec![ContactForce { normal: 1.0, friction: [0.0; 3] }];
    let up = Forces { contacts, bilateral: vec![], bounded: vec![] };
    let distance = verdict::ray(&exact.check(&up, false), 0);
    assert!(distance.fine > 0.9, "{distance:?}");
}

/// A heavy body elsewhere does not make a wrong answer right.
#[test]
fn what_others_do_does_not_matter() {
    let mut given = ball(3.0);
    let mut other = given.bodies[0].clone();
    other.mass = Some(1e12);
    other.wrench = Some([0.0, 0.0, -1e13, 0.0, 0.0, 0.0]);
    given.bodies.push(other);
    let foot = GivenContact { a: 1, ..given.contacts[0].clone() };
    given.contacts.push(foot);
    let exact = Exact::new(&given).expect("definite inertias");
    let of = |normal: f64| {
        let contacts = vec![
            ContactForce { normal, friction: [-3.0, 0.0, 0.0] },
            ContactForce { normal: 1e13, friction: [0.0; 3] },
        ];
        let checked = exact.check(&Forces { contacts, bilateral: vec![], bounded: vec![] }, true);
        Distance::from_law(&checked, 0, Claim::MaximumDissipation)
    };
    assert_eq!(of(20.0).verdict(true), Verdict::Right);
    assert_eq!(of(20.0 * (1.0 + 1e-5)).verdict(true), Verdict::Wrong);
    assert_eq!(of(20.0 * (1.0 + 1e-13)).verdict(false), Verdict::RefusedRight);
    assert_eq!(of(20.0 * (1.0 + 1e-8)).verdict(false), Verdict::RefusedBorderline);
}
