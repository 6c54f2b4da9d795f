//! At every pivot the reduced system agrees with the large one.

use super::*;
use crate::lloyd2004::Standard;
use crate::observer::NoObserver;
use stiction_contact::gallery;

/// Value or rate of every `z` of the large problem, and of its `w`, according to the table.
struct Full {
    z: Vec<f64>,
    /// Known entries of `w`: nonbasic ones are zero, the driving one is given.
    w: Vec<f64>,
    cover: f64,
}

fn full(path: &Path<'_>, standard: &Standard<'_>, rates: bool) -> Full {
    let size = standard.lcp().len();
    let mut full = Full { z: vec![0.0; size], w: vec![0.0; size], cover: 0.0 };
    let pick = |side: &super::super::ratio::Side, k: usize| {
        if rates { side.rate[k] } else { side.value[k] }
    };
    let driven = f64::from(u8::from(rates));
    let table = &path.table;
    full.cover = table.cover[usize::from(rates)];
    let mut put = |variable: Variable, at: usize, number: f64| {
        if path.driving.0 == variable {
            let side = if path.driving.1 { &mut full.z } else { &mut full.w };
            side[at] = driven;
        } else if path.is_z_basic(variable) {
            full.z[at] = number;
        } else {
            full.w[at] = number;
        }
    };
    for i in 0..path.basis.contacts.len() {
        let at = standard.places(i);
        put(Variable::Normal(i as u32), at.0, pick(&table.normal, i));
        let place = path.basis.contacts[i].place;
        if place == NONE {
            continue;
        }
        let place = place as usize;
        put(Variable::Limit(i as u32), at.2, pick(&table.limit, place));
        for j in 0..path.basis.pyramid.fan(i).count {
            let number = pick(&table.direction, place * path.basis.pyramid.stride + j);
            put(Variable::Direction(i as u32, j as u16), at.1 + j, number);
        }
    }
    full
}

/// Largest violation of `w = M z + q + c z₀`, over contacts with friction variables.
fn violation(path: &Path<'_>, standard: &Standard<'_>, rates: bool) -> f64 {
    let full = full(path, standard, rates);
    let lcp = standard.lcp();
    let covers = path.basis.covers;
    let mut worst = 0.0_f64;
    let mut check = |at: usize, cover: f64| {
        let product: f64 = lcp.row(at).iter().zip(&full.z).map(|(m, z)| m * z).sum();
        let constant = if rates { 0.0 } else { lcp.q()[at] };
        worst = worst.max((product + constant + cover * full.cover - full.w[at]).abs());
    };
    for i in 0..path.basis.contacts.len() {
        let at = standard.places(i);
        check(at.0, covers.normal);
        if path.basis.contacts[i].place != NONE {
            check(at.2, covers.limit);
            let count = path.basis.pyramid.fan(i).count;
            (0..count).for_each(|j| check(at.1 + j, covers.direction));
        }
    }
    worst
}

/// Follows a path step by step; returns how often `w_r` was ν, γ and σ, and the largest
/// violation.
fn walk_and_compare(pyramid: &Pyramid, scope: Scope, crossover: usize) -> ([usize; 3], f64) {
    let standard = Standard::new(pyramid).expect("finite");
    let mut path = Path::with_crossover(pyramid, crossover);
    let (mut kinds, mut worst) = ([0; 3], 0.0_f64);
    path.begin(scope);
    assert!(path.evaluate());
    let Some((value, place)) = path.table.most_negative() else { return (kinds, worst) };
    let first = path.table.variable(Some(place), &path.basis.frictional, pyramid.stride);
    path.table.cover = [-value, 0.0];
    let mut exchange = (first, 0.0);
    while exchange.0 != Variable::Cover {
        assert!(path.exchange(exchange.0, exchange.1).is_ok());
        assert!(path.evaluate());
        match path.driving.0 {
            Variable::Normal(_) => kinds[0] += 1,
            Variable::Limit(_) => kinds[1] += 1,
            Variable::Direction(..) => kinds[2] += 1,
            Variable::Cover => {}
        }
        for rates in [false, true] {
            worst = worst.max(violation(&path, &standard, rates));
        }
        exchange = path.blocking().expect("no ray");
    }
    (kinds, worst)
}

#[test]
fn the_reduced_system_agrees_with_the_large_one_for_every_kind_of_w_r() {
    let problems = [
        gallery::two_boxes(1.0, 2.0, 0.4).expect("valid"),
        gallery::overbalanced_bricks(0.5).expect("valid"),
    ];
    let draw = gallery::lloyd::Draw { seed: 3, loads: 10 };
    let pegs = gallery::lloyd::peg(8, draw).expect("valid");
    let mut seen = [0; 3];
    for problem in problems.iter().chain(&pegs) {
        for directions in [4, 8] {
            let pyramid = Pyramid::new(problem, directions);
            for scope in [Scope::All, Scope::Pushing] {
                for crossover in [2, 1000] {
                    let (kinds, worst) = walk_and_compare(&pyramid, scope, crossover);
                    assert!(worst < 1e-9, "{scope:?}: {worst:e}");
                    (0..3).for_each(|k| seen[k] += kinds[k]);
                }
            }
        }
    }
    println!("pivots with w_r = ν, γ, σ: {seen:?}");
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
}

#[test]
fn a_path_can_be_followed_repeatedly() {
    let draw = gallery::lloyd::Draw { seed: 1, loads: 1 };
    let problem = &gallery::lloyd::peg(16, draw).expect("valid")[0];
    let pyramid = Pyramid::new(problem, 8);
    let mut path = Path::new(&pyramid);
    for scope in [Scope::All, Scope::Pushing] {
        let end = path.follow(scope, &mut NoObserver);
        let (pivots, forces) = (path.pivots, path.forces());
        for _ in 0..100 {
            assert_eq!(path.follow(scope, &mut NoObserver), end);
            assert_eq!((path.pivots, path.forces()), (pivots, forces.clone()));
        }
    }
}

#[test]
fn a_repeating_sequence_is_detected_and_others_are_not() {
    let at = |k: u64| (k, (Variable::Cover, true));
    let mut brent = Brent::default();
    assert!((0..1000).all(|k| !brent.repeats(at(k).0, at(k).1)));
    let mut brent = Brent::default();
    let cycle = (0..100).map(|k| if k < 17 { k } else { 17 + (k - 17) % 6 });
    assert!(cycle.map(at).any(|(print, driving)| brent.repeats(print, driving)));
}
