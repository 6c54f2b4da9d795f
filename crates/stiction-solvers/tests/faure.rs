//! Faure 1996: its figures, and the families in `../shared/data/lloyd`.
//!
//! The families are skipped, with a message, if that folder does not exist.

mod common;

use common::{Random, files, point_row};
use glam::DVec3;
use std::time::Duration;
use stiction_solvers::faure1996::Energy;
use stiction_solvers::faure1996::scenes::FourBalls;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::judge::{Motion, determinacy, response};
use stiction_solvers::{
    Answer, Auto, Body, Contact, ContactProblem, ContactSolver, Event, Forces, Friction, Inertia,
    Level, NoObserver, Place, Row, SolveError, Stop, gallery,
};

/// Upward normal.
const UP: [f64; 3] = [0.0, 0.0, 1.0];

fn solve(problem: &ContactProblem, mut solver: Energy) -> Answer {
    match solver.solve(problem) {
        Ok(solution) if !solution.is_impulse() => solution,
        other => panic!("every iterate is an answer: {other:?}"),
    }
}

fn normals(forces: &Forces) -> Vec<f64> {
    forces.contacts.iter().map(|f| f.normal).collect()
}

fn close(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12)
}

fn bar() -> ContactProblem {
    stiction_solvers::faure1996::scenes::bar().expect("valid")
}

#[test]
fn the_bar_of_figure_4_passes_through_three_iterates() {
    let iterates = [[-4.55, -0.35, 3.85, 8.05], [0.0, 0.0, -10.5, 17.5], [0.0, 0.0, 0.0, 10.0]];
    for (k, expected) in iterates.iter().enumerate() {
        let solution = solve(&bar(), Energy { iterations: k + 1, ..Energy::literal() });
        let found = normals(&solution.forces);
        assert!(close(&found, expected), "iterate {}: {found:?}", k + 1);
        let stop = if k == 2 { Stop::Precision } else { Stop::Iterations };
        assert_eq!(
            (solution.provenance.effort.stop, solution.provenance.effort.pivots),
            (Some(stop), k + 1)
        );
        assert_eq!(solution.certificate.is_certified(), k == 2);
    }
    let solution = solve(&bar(), Energy::default());
    assert!(close(&normals(&solution.forces), &iterates[2]));
    assert_eq!(solution.provenance.effort.pivots, 3);
}

/// vᵀ W v with W = 1 + xᵢ xⱼ/12: the work rises before it vanishes, contrary to §3.3.
#[test]
fn the_virtual_work_of_figure_4_is_reported_and_does_not_decrease() {
    let mut seen = Vec::new();
    let mut watch = |event| {
        if let Event::Iterate { iteration, virtual_work, inconsistent } = event {
            assert_eq!(iteration, seen.len() + 1);
            seen.push((virtual_work, inconsistent));
        }
    };
    Energy::literal().solve_from(&bar(), None, &mut watch).expect("an answer");
    let (a, b) = (4.55, 0.35);
    let first = 1.75 * a * a + 2.5 * a * b + 13.0 / 12.0 * b * b;
    let second = 13.0 / 12.0 * 10.5 * 10.5;
    for ((work, count), (expected, contacts)) in
        seen.iter().zip([(first, 2), (second, 1), (0.0, 0)])
    {
        assert!((work - expected).abs() < 1e-10, "{work}, expected {expected}");
        assert_eq!(*count, contacts);
    }
    assert_eq!(seen.len(), 3);
}

/// The bar of figure 4 beside one that is pushed in its middle and away from the first:
///
/// ```text
///                     │ 7 N             │ 7 N
///   ──────────────────▼   · ────────────▼────────────  → 1 m/s²
///     ▲   ▲   ▲   ▲           ▲    ▲         ▲    ▲
/// ```
///
/// At first the bars are one part, then the contact between them opens and they are two, of
/// which only the first changes again: 1 + 2 + 1 systems.
#[test]
fn unchanged_parts_are_not_factored_again() {
    let single = bar();
    let mut bodies = vec![single.bodies()[0].clone(); 2];
    for body in &mut bodies {
        let mut inverse = body.inverse_inertia();
        inverse[0][0] = 1.0;
        body.inertia = Inertia::Inverse(inverse);
    }
    bodies[1].position[0] = 20.0;
    bodies[1].free_response = [1.0, 0.0, -7.0, 0.0, 0.0, 0.0];
    let mut contacts = single.contacts().to_vec();
    for x in [17.0, 19.0, 21.0, 23.0] {
        contacts.push(Contact::new(1, None, [x, 0.0, 0.0], UP, Friction::Frictionless));
    }
    let between = [10.0, 0.0, 0.0];
    contacts.push(Contact::new(1, Some(0), between, [1.0, 0.0, 0.0], Friction::Frictionless));
    let problem = ContactProblem::new(Level::Acceleration, bodies, contacts, vec![], vec![]);

    let solution = solve(&problem.expect("valid"), Energy::default());
    let expected = [0.0, 0.0, 0.0, 10.0, 1.75, 1.75, 1.75, 1.75, 0.0];
    let found = normals(&solution.forces);
    assert!(close(&found, &expected), "{found:?}");
    assert_eq!((solution.provenance.effort.pivots, solution.provenance.effort.factored), (3, 4));
}

/// A plate held between three contacts: W = [[4,5,−5],[5,9,−5],[−5,−5,7]], q = (2,1,−3),
/// positive definite, for which figure 3 cycles.
fn cycling_plate() -> ContactProblem {
    let mut plate = Body::rigid(1.0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0; 3]);
    // The field 1 + x/√3 − y√(2/3): lift, and rotations about y and x.
    let third = 1.0 / 3.0_f64.sqrt();
    plate.free_response = [0.0, 0.0, 1.0, -(2.0 / 3.0_f64).sqrt(), -third, 0.0];
    let contact =
        |x, y, z| Contact::new(0, None, [x, y, 0.0], [0.0, 0.0, z], Friction::Frictionless);
    let contacts = vec![
        contact(3.0_f64.sqrt(), 0.0, 1.0),
        contact(4.0 * third, (8.0 / 3.0_f64).sqrt(), 1.0),
        contact(4.0 * third, -(2.0 / 3.0_f64).sqrt(), -1.0),
    ];
    ContactProblem::new(Level::Acceleration, vec![plate], contacts, vec![], vec![]).expect("valid")
}

#[test]
fn the_literal_method_cycles_without_friction_and_the_safeguard_does_not() {
    let literal = solve(&cycling_plate(), Energy::literal());
    let stop = literal.provenance.effort.stop;
    assert!(matches!(stop, Some(Stop::Alternation { period: 3, .. })), "{stop:?}");
    assert!(!literal.certificate.is_certified());

    let safe = solve(&cycling_plate(), Energy::default());
    assert!(close(&normals(&safe.forces), &[0.0, 4.0 / 19.0, 11.0 / 19.0]));
    assert_eq!(safe.provenance.effort.stop, Some(Stop::Precision));
}

/// §3.3: for a rod whose sliding tip digs in no forces exist; penetration and attraction
/// alternate for ever.
#[test]
fn inconsistent_configurations_alternate_and_are_reported() {
    // Rod of length 1 at 60°, contact at its lower end, sliding towards its centre.
    let (sin, cos) = (60.0_f64.to_radians().sin(), 0.5);
    let mut inverse = [[0.0; 6]; 6];
    inverse[0][0] = 1.0;
    inverse[2][2] = 1.0;
    inverse[4][4] = 12.0;
    let mut rod = Body::with_inverse_inertia(inverse, [0.5 * cos, 0.0, 0.5 * sin]);
    rod.free_response[2] = -gallery::GRAVITY;
    let slides = |direction| {
        let friction = Friction::Sliding { friction: 2.0, direction };
        let tip = Contact::new(0, None, [0.0; 3], UP, friction).planar([1.0, 0.0, 0.0]);
        ContactProblem::new(Level::Acceleration, vec![rod.clone()], vec![tip], vec![], vec![])
            .expect("valid")
    };
    let digs: Vec<_> = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]].map(slides).into();
    for solver in [Energy::default(), Energy::literal()] {
        let stops: Vec<_> =
            digs.iter().map(|rod| solve(rod, solver).provenance.effort.stop).collect();
        let alternates = Some(Stop::Alternation { contact: 0, period: 2 });
        assert!(stops.contains(&alternates), "{stops:?}");
        assert!(stops.contains(&Some(Stop::Precision)), "{stops:?}");
    }
}

/// Figure 5 at a tilt of 0.3: all slide downhill, or rotate about the dark ball.
fn four_balls(all_slide: bool) -> ContactProblem {
    let spin = if all_slide { 0.0 } else { 1.0 };
    let velocity = if all_slide { [0.0, -0.1] } else { [0.1, -0.1] };
    let state = FourBalls { tilt: 0.3, turn: 0.0, velocity, spin, ..FourBalls::begin() };
    assert_eq!(state.slips(), [all_slide, true, true, true]);
    state.problem().expect("valid")
}

#[test]
fn figure_5_takes_one_iteration_sliding_and_at_most_five_with_one_ball_static() {
    for (all_slide, most) in [(true, 1), (false, 5)] {
        let problem = four_balls(all_slide);
        let solution = solve(&problem, Energy::default());
        assert!(solution.certificate.is_certified(), "{}", solution.certificate);
        let iterations = solution.provenance.effort.pivots;
        assert!(iterations <= most, "{iterations} iterations");

        // The driving torque balances the torque of the balls on the plane about x.
        let mut torque = 0.0;
        for (contact, force) in problem.contacts().iter().zip(&solution.forces.contacts) {
            let on_square = force.normal * DVec3::from_array(contact.normal)
                + DVec3::from_array(force.friction);
            torque += DVec3::from_array(contact.point).cross(on_square).x;
        }
        let driving = solution.forces.bilateral[FourBalls::DRIVE];
        assert!((driving - torque).abs() < 1e-10, "{driving} N·m, expected {torque} N·m");
        assert!(driving.abs() > 0.1);
    }
}

/// Motion control: a block on a lift that must rise with 2 m/s². The row's force is the drive,
/// (m + M)(g + 2).
#[test]
fn a_prescribed_acceleration_reports_its_driving_force() {
    let still = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let fall = [0.0, 0.0, -gallery::GRAVITY, 0.0, 0.0, 0.0];
    let bodies = vec![
        Body::rigid(10.0, still, [0.0; 3]).with_free_response(fall),
        Body::rigid(2.0, still, [0.0, 0.0, 1.0]).with_free_response(fall),
    ];
    let feet = [(0.5, 0.0), (-0.5, 0.5), (-0.5, -0.5)];
    let foot =
        |(x, y)| Contact::new(1, Some(0), [x, y, 0.5], UP, Friction::Static { friction: 0.5 });
    let mut rows: Vec<Row> = (0..6)
        .map(|k| {
            let mut on_a = [0.0; 6];
            on_a[k] = 1.0;
            Row { a: 0, on_a, b: None, on_b: [0.0; 6], bias: 0.0 }
        })
        .collect();
    rows[2].bias = -2.0;
    let contacts = feet.map(foot).to_vec();
    let problem = ContactProblem::new(Level::Acceleration, bodies, contacts, rows, vec![]);
    let solution = solve(&problem.expect("valid"), Energy::default());
    assert!(solution.certificate.is_certified(), "{}", solution.certificate);
    let expected = 12.0 * (gallery::GRAVITY + 2.0);
    assert!((solution.forces.bilateral[2] - expected).abs() < 1e-10);
}

/// A plate of 2 kg, friction 0.3, driven by one row: along the floor its feet cannot stick,
/// `drive = m a + μ m g`; upwards they cannot touch, `m (a + g)`.
#[test]
fn contacts_yield_to_a_drive() {
    let (mass, friction, wanted) = (2.0, 0.3, 1.5);
    let weight = mass * gallery::GRAVITY;
    let along = mass * wanted + friction * weight;
    for (axis, friction, drive, held) in [
        (0, Friction::Static { friction }, along, weight),
        (2, Friction::Static { friction }, mass * wanted + weight, 0.0),
        (2, Friction::Frictionless, mass * wanted + weight, 0.0),
    ] {
        let feet = [(-0.2, -0.1), (-0.2, 0.1), (0.2, -0.1), (0.2, 0.1)];
        let contacts = feet.map(|(x, y)| Contact::new(0, None, [x, y, 0.0], UP, friction));
        let mut on_a = [0.0; 6];
        on_a[axis] = 1.0;
        let row = Row { a: 0, on_a, b: None, on_b: [0.0; 6], bias: -wanted };
        let problem = ContactProblem::new(
            Level::Acceleration,
            vec![plate(mass, DVec3::new(0.0, 0.0, 0.05))],
            contacts.to_vec(),
            vec![row],
            vec![],
        );
        let solution = solve(&problem.expect("valid"), Energy::default());
        assert!(solution.certificate.is_certified(), "{axis}: {}", solution.certificate);
        assert!(
            solution.provenance.effort.pivots <= 3,
            "{} iterations",
            solution.provenance.effort.pivots
        );
        assert!((solution.forces.bilateral[0] - drive).abs() < 1e-9);
        assert!((normals(&solution.forces).iter().sum::<f64>() - held).abs() < 1e-9);
    }
}

fn plate(mass: f64, centre: DVec3) -> Body {
    let inertia = [[0.01 * mass, 0.0, 0.0], [0.0, 0.015 * mass, 0.0], [0.0, 0.0, 0.02 * mass]];
    let fall = [0.0, 0.0, -gallery::GRAVITY, 0.0, 0.0, 0.0];
    Body::rigid(mass, inertia, centre.to_array()).with_free_response(fall)
}

/// Up to three plates on one another, each foot of the lowest on one of three belts; rows along
/// the floor or about the vertical drive some of them.
fn driven_plates(seed: u64) -> ContactProblem {
    let random = &mut Random::new(seed);
    let size = [1e-3, 1.0, 1.0, 20.0][random.below(4)];
    let mut bodies: Vec<Body> = (0..3)
        .map(|_| {
            let [x, y] = [random.between(-size, size), random.between(-size, size)];
            Body::fixed([0.0; 3]).with_free_response([x, y, 0.0, 0.0, 0.0, 0.0])
        })
        .collect();
    let (mut contacts, mut rows) = (Vec::new(), Vec::new());
    for level in 0..=random.below(3) {
        let (me, height) = (bodies.len(), 0.1 * level as f64);
        bodies.push(plate(random.between(0.5, 5.0), DVec3::new(0.0, 0.0, height + 0.05)));
        let friction = [0.0, 1.0, random.between(0.0, 1.0)][random.below(3)];
        for (x, y) in [(-0.2, -0.1), (-0.2, 0.1), (0.2, -0.1), (0.2, 0.1)] {
            let under = if level == 0 { random.below(3) } else { me - 1 };
            let law = Friction::Static { friction };
            contacts.push(Contact::new(me, Some(under), [x, y, height], UP, law));
        }
        if random.chance(0.5) {
            let mut on_a = [0.0; 6];
            on_a[[0, 1, 5][random.below(3)]] = 1.0;
            let bias = random.between(-size, size);
            rows.push(Row { a: me, on_a, b: None, on_b: [0.0; 6], bias });
        }
    }
    ContactProblem::new(Level::Acceleration, bodies, contacts, rows, vec![]).expect("valid")
}

/// Nearly always, and then with the motion of `auto` where that is unique.
#[test]
fn drives_and_belts_are_solved() {
    let (problems, mut settled) = (400, 0);
    for seed in 0..problems {
        let problem = driven_plates(seed);
        let solution = solve(&problem, Energy::default());
        if !solution.certificate.is_certified() {
            assert_ne!(solution.provenance.effort.stop, Some(Stop::Precision), "a wrong claim");
            continue;
        }
        settled += 1;
        let other = Auto::default().solve(&problem).ok().filter(Answer::is_certified);
        let Some(other) = other else { panic!("{seed}: auto finds none") };
        if determinacy(&problem, &other.forces).motion == Motion::Unique {
            let found = [&solution.forces, &other.forces].map(|f| response(&problem, f).bodies);
            let off = |(x, y): (&[f64; 6], &[f64; 6])| (0..6).all(|k| (x[k] - y[k]).abs() < 1e-6);
            assert!(found[0].iter().zip(&found[1]).all(off), "{seed}");
        }
    }
    println!("{settled} of {problems}");
    assert!(settled * 100 >= problems * 98, "{settled} of {problems}");
}

#[test]
fn time_and_warm_starts_are_arguments() {
    let problem = gallery::overbalanced_bricks(0.5).expect("valid");
    let hurried = solve(&problem, Energy { time: Some(Duration::ZERO), ..Energy::default() });
    assert_eq!(
        (hurried.provenance.effort.stop, hurried.provenance.effort.pivots),
        (Some(Stop::Time), 1)
    );

    let solution = solve(&problem, Energy::default());
    assert!(solution.certificate.is_certified());
    let again = Energy::default().solve_from(&problem, Some(&solution.forces), &mut NoObserver);
    let Ok(again) = again else { panic!("{again:?}") };
    assert_eq!(again.provenance.effort.pivots, 1, "an answer is its own next iterate");

    let none = Energy::default().solve_from(&problem, Some(&Forces::default()), &mut NoObserver);
    assert!(matches!(none, Err(SolveError::WarmStart { .. })));
}

/// A gate on two hinges has a redundant row, which is solved; one with two prescribed rates
/// along z is a contradiction.
#[test]
fn joints_that_contradict_each_other_are_named() {
    let inertia = [[7.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 2.0]];
    let bodies = vec![Body::rigid(20.0, inertia, [0.5, 0.0, 1.0]).with_free_response([
        0.0,
        0.0,
        -gallery::GRAVITY,
        0.0,
        0.0,
        0.0,
    ])];
    let gate = |upper: f64| {
        let hinges = [(0.2, 0.0), (1.8, upper)].into_iter().flat_map(|(z, bias)| {
            DVec3::AXES.map(|axis| {
                let bias = if axis == DVec3::Z { bias } else { 0.0 };
                point_row(&bodies, 0, None, DVec3::new(0.0, 0.0, z), axis, bias)
            })
        });
        let rows = hinges.collect();
        ContactProblem::new(Level::Acceleration, bodies.clone(), vec![], rows, vec![])
            .expect("valid")
    };
    for mut solver in [Energy::default(), Energy::literal()] {
        assert!(solve(&gate(0.0), solver).certificate.is_certified());
        let error = solver.solve(&gate(1.0));
        let Err(SolveError::Contradiction { place: Place::Bilateral(2 | 5), response }) = error
        else {
            panic!("{error:?}")
        };
        assert!((response.abs() - 0.5).abs() < 1e-9, "{response}: both are violated by half");
    }
}

/// Number of loads, of those with a natural map of at most 1e-9, and the iterations of these.
fn tally(name: &str, matches: impl Fn(&str) -> bool) -> Option<(f64, usize, usize)> {
    let (mut loads, mut iterations) = (0_usize, Vec::new());
    let (mut made, mut factored) = (0, 0);
    for path in files(matches) {
        let file = ProblemFile::open(&path).expect("readable");
        for load in 0..file.len() {
            let problem = file.problem(load).expect("valid");
            let solution = solve(&problem, Energy::default());
            loads += 1;
            made += solution.provenance.effort.pivots;
            factored += solution.provenance.effort.factored;
            let residual = solution.certificate.natural_map.relative;
            if residual <= 1e-9 {
                iterations.push(solution.provenance.effort.pivots);
            } else {
                let stop = solution.provenance.effort.stop;
                println!("{} load {load}: {residual:.1e}, {stop:?}", path.display());
                assert_ne!(stop, Some(Stop::Precision), "a wrong claim");
            }
        }
    }
    iterations.sort_unstable();
    let (median, most) = (*iterations.get(iterations.len() / 2)?, *iterations.last()?);
    let share = iterations.len() as f64 / loads as f64;
    println!("{name}: {loads} loads, {:.2} % to 1e-9, median {median}, most {most}", 100.0 * share);
    println!("  {made} iterations, {factored} systems factored");
    Some((share, median, most))
}

#[test]
fn every_frictionless_load_settles() {
    for (family, usual) in [("pile", 10), ("wall", 3)] {
        let Some((share, median, most)) = tally(family, |name| name.starts_with(family)) else {
            continue;
        };
        assert!(share == 1.0 && median <= usual && most <= 300, "{family}: {share}");
    }
}

#[test]
fn friction_loads_settle_nearly_always() {
    let small = |name: &str| !["_m20", "_m50"].iter().any(|m| name.contains(m));
    for (family, least) in [("single", 0.995), ("peg", 0.995), ("stack", 0.995), ("degen", 0.97)] {
        let matches = |name: &str| name.starts_with(family) && small(name);
        let Some((share, median, _)) = tally(family, matches) else { continue };
        assert!(share >= least && median <= 8, "{family}: {share}, median {median}");
    }
}
