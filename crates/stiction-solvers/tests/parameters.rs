//! Parameters of the papers' methods: the table, invalid values, and the effect of each
//! parameter.

use stiction_solvers::all::{self, Choice, NAMES};
use stiction_solvers::baraff1991::Threshold;
use stiction_solvers::faure1996::Energy;
use stiction_solvers::nearest;
use stiction_solvers::parameters::{PARAMETERS, Range, Value};
use stiction_solvers::{
    Answer, Body, Contact, ContactProblem, Event, Forces, Found, Friction, Level, Observer,
    Parameters, Place, Route, Row, Snapshot, Stop, gallery, judge,
};

fn choice(name: &str, given: &[(&str, &str)]) -> Choice {
    let with = |all: Parameters, (name, text): &(&str, &str)| all.with(name, text).expect("valid");
    Choice::new(name, given.iter().fold(Parameters::default(), with)).expect("its own")
}

fn solved(name: &str, given: &[(&str, &str)], problem: &ContactProblem) -> Answer {
    match choice(name, given).solver().solve(problem) {
        Ok(solution) if !solution.is_impulse() => solution,
        other => panic!("{name} {given:?}: {other:?}"),
    }
}

/// A block on a floor, pushed by an acceleration along x.
fn block(push: f64, law: Friction) -> ContactProblem {
    let inertia = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
    let body = Body::rigid(2.0, inertia, [0.0, 0.0, 0.1])
        .with_free_response([push, 0.0, -9.81, 0.0, 0.0, 0.0]);
    let foot = |x, y| Contact::new(0, None, [x, y, 0.0], [0.0, 0.0, 1.0], law);
    let feet = vec![foot(-0.2, -0.2), foot(0.2, -0.2), foot(0.0, 0.2)];
    ContactProblem::new(Level::Acceleration, vec![body], feet, vec![], vec![]).expect("valid")
}

#[test]
fn every_name_gives_the_solver_of_that_name() {
    for name in NAMES {
        assert_eq!(choice(name, &[]).solver().name(), *name);
        assert_eq!(all::by_name(name).expect("known").name(), *name);
    }
    assert_eq!(Choice::default().name(), NAMES[0]);
}

#[test]
fn defaults_of_the_table_are_those_of_the_solvers() {
    let default = |name: &str| {
        let parameter = PARAMETERS.iter().find(|it| it.name == name).expect("known");
        parameter.parse(parameter.default).expect("in its range")
    };
    let energy = Energy::default();
    assert_eq!(default("precision"), Value::Number(energy.precision));
    assert_eq!(default("iterations"), Value::Count(energy.iterations));
    assert_eq!(energy.time, None);
    assert_eq!(default("epsilon"), Value::Number(Threshold::default().speed));
    assert_eq!(default("initial"), Value::Word("sweeps"));
    for parameter in &PARAMETERS {
        assert!(parameter.solvers.iter().all(|name| NAMES.contains(name)), "{}", parameter.name);
        assert!(parameter.description().contains(parameter.default), "{}", parameter.name);
    }
}

#[test]
fn values_out_of_range_names_misspelt_and_parameters_of_others_are_refused() {
    for (name, text, part) in [
        ("precision", "0", "precision is 0, must be a number above 0, at most 1"),
        ("precision", "2", "at most 1"),
        ("precision", "nan", "precision is nan"),
        ("precision", "inf", "precision is inf"),
        ("iterations", "0", "a whole number from 1 to 1000000"),
        ("iterations", "1.5", "iterations is 1.5"),
        ("iterations", "99999999999999999999", "from 1 to 1000000"),
        ("time", "-1", "time is -1"),
        ("epsilon", "1e-400", "epsilon is 1e-400"),
        ("norm", "three", "norm is three, must be one or two"),
        ("initial", "", "sweeps or zero"),
        ("precison", "1", "there is no parameter \"precison\", did you mean \"precision\"?"),
        ("xyz", "1", "there is no parameter \"xyz\""),
    ] {
        let error = Parameters::default().with(name, text).expect_err(text).to_string();
        assert!(error.contains(part), "{error}");
    }
    for parameter in &PARAMETERS {
        let text = match parameter.range {
            Range::Words(words) => words[0],
            Range::Number(_) | Range::Count(_) => "1",
        };
        let given = Parameters::default().with(parameter.name, text).expect("in its range");
        for name in NAMES {
            let made = Choice::new(name, given.clone());
            assert_eq!(made.is_ok(), parameter.solvers.contains(name), "{name}");
            if let Err(error) = made {
                let error = error.to_string();
                assert!(error.starts_with(&format!("{name} has no parameter {}", parameter.name)));
                assert!(parameter.solvers.iter().all(|owner| error.contains(owner)), "{error}");
            }
        }
    }
    let error = Choice::new("dantzg", Parameters::default()).expect_err("misspelt").to_string();
    assert!(error.contains("there is no solver \"dantzg\", did you mean \"dantzig\"?"), "{error}");
    assert_eq!(nearest("lloyd-reducd", NAMES), Some("lloyd-reduced"));
    assert_eq!(nearest("", NAMES), None);
    assert_eq!(nearest("something else", NAMES), None);
}

#[test]
fn energy_ends_by_the_precision_the_iterations_or_the_time_it_is_given() {
    let problem = gallery::overbalanced_bricks(0.5).expect("valid");
    for name in ["energy", "energy-literal"] {
        let whole = solved(name, &[], &problem);
        assert!(
            whole.provenance.effort.pivots > 2,
            "{name}: {} iterations",
            whole.provenance.effort.pivots
        );
        let cut = solved(name, &[("iterations", "2")], &problem);
        assert_eq!(
            (cut.provenance.effort.pivots, cut.provenance.effort.stop),
            (2, Some(Stop::Iterations)),
            "{name}"
        );
        let hurried = solved(name, &[("time", "1e-9")], &problem);
        assert_eq!(
            (hurried.provenance.effort.pivots, hurried.provenance.effort.stop),
            (1, Some(Stop::Time)),
            "{name}"
        );
        let rough = solved(name, &[("precision", "1")], &problem);
        assert_eq!(rough.provenance.effort.stop, Some(Stop::Precision), "{name}");
        assert!(
            rough.provenance.effort.pivots < whole.provenance.effort.pivots,
            "{name}: {:?}",
            rough.provenance.effort
        );
    }
}

/// Eq. 15: friction of a contact that slides at half of ε is half of Coulomb's.
#[test]
fn epsilon_is_the_speed_below_which_friction_is_weaker() {
    let problem = block(0.0, Friction::Static { friction: 0.4 });
    let friction = |epsilon: &str| -> f64 {
        let mut solver = choice("threshold", &[("epsilon", epsilon)]).solver();
        solver.set_velocities(Some(&[[0.01, 0.0, 0.0, 0.0, 0.0, 0.0]]));
        match solver.solve(&problem) {
            Ok(it) if !it.is_impulse() => it.forces.contacts.iter().map(|f| f.friction[0]).sum(),
            other => panic!("{other:?}"),
        }
    };
    let weight = 2.0 * 9.81;
    assert!((friction("0.02") + 0.5 * 0.4 * weight).abs() < 1e-9, "{}", friction("0.02"));
    assert!((friction("0.001") + 0.4 * weight).abs() < 1e-9, "{}", friction("0.001"));
}

/// Appendix B: rows prescribe accelerations of 0, 0 and 3 along x; the result is the median or
/// the mean.
#[test]
fn the_norm_decides_how_contradictory_joints_are_resolved() {
    let (level, bodies, contacts, _, _) = block(1.0, Friction::Frictionless).into_parts();
    let row = |bias| {
        let on_a = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        Row { a: 0, b: None, on_a, on_b: [0.0; 6], bias }
    };
    let rows = vec![row(0.0), row(0.0), row(-3.0)];
    let problem = ContactProblem::new(level, bodies, contacts, rows, vec![]).expect("valid");
    assert!(choice("lp", &[]).solver().solve(&problem).is_err());
    for (norm, expected) in [("one", 0.0), ("two", 1.0)] {
        let solution = solved("lp", &[("norm", norm)], &problem);
        let moved = judge::response(&problem, &solution.forces).bodies[0];
        assert!((moved[0] - expected).abs() < 1e-6, "{norm}: {moved:?}");
        assert!(
            matches!(solution.provenance.route, Route::Compromise { .. }),
            "{:?}",
            solution.provenance.route
        );
    }
}

/// Records events and the snapshots after them.
#[derive(Default)]
struct Watch {
    events: Vec<Event>,
    snapshots: Vec<Snapshot>,
}

impl Observer for Watch {
    fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        self.snapshots.push(snapshot.clone());
    }

    fn inspects(&self) -> bool {
        true
    }
}

fn watched(name: &str, given: &[(&str, &str)], problem: &ContactProblem) -> (Watch, Forces) {
    let mut watch = Watch::default();
    let found = choice(name, given).solver().candidate(problem, None, &mut watch);
    match found.map(|attempt| attempt.found) {
        Ok(Found::Forces(forces)) => (watch, forces),
        other => panic!("{name}: {other:?}"),
    }
}

fn differ(x: &Forces, y: &Forces) -> f64 {
    let each = x.contacts.iter().zip(&y.contacts).map(|(x, y)| {
        let friction = (0..3).map(|k| (x.friction[k] - y.friction[k]).abs());
        friction.fold((x.normal - y.normal).abs(), f64::max)
    });
    each.fold(0.0, f64::max)
}

#[test]
fn dantzig_from_zero_drives_the_contacts_that_sweeps_would_guess() {
    let problem = block(0.0, Friction::Frictionless);
    let (guessed, _) = watched("dantzig", &[], &problem);
    assert_eq!(guessed.events, [Event::Guessed]);
    let (zero, forces) = watched("dantzig", &[("initial", "zero")], &problem);
    assert!(zero.events.iter().any(|event| matches!(event, Event::Pivot { .. })));
    assert_eq!(zero.snapshots.len(), zero.events.len());
    assert_eq!(zero.snapshots[0].forces, Forces::zeros(&problem), "it starts from zero");
    assert!(differ(&zero.snapshots.last().expect("some").forces, &forces) < 1e-9);
    // A given start is ignored.
    let mut watch = Watch::default();
    let again = choice("dantzig", &[("initial", "zero")]).solver().candidate(
        &problem,
        Some(&forces),
        &mut watch,
    );
    assert!(again.is_ok() && watch.events == zero.events);
}

#[test]
fn index_sets_match_the_forces() {
    // One push sticks, the other slides.
    for push in [1.0, 9.0] {
        let problem = block(push, Friction::Static { friction: 0.5 });
        let (watch, forces) = watched("dantzig", &[], &problem);
        let last = watch.snapshots.last().expect("some");
        let set = |name: &str| {
            let found = last.sets.iter().find(|set| set.name == name).expect(name);
            found.members.iter().map(|member| member.place).collect::<Vec<_>>()
        };
        for (i, force) in forces.contacts.iter().enumerate() {
            let place = Place::Contact(i);
            assert_eq!(set("C").contains(&place), force.normal > 0.0, "{push}: {last:?}");
            assert_eq!(set("NC").contains(&place), force.normal == 0.0, "{push}: {last:?}");
        }
        // Contacts that do not slip need no friction of their own.
        let held = if push < 5.0 { "C_F" } else { "NC_F" };
        let mut rubbing = [set(held), set("undecided_F")].concat();
        rubbing.sort_by_key(|place| format!("{place}"));
        assert!(!set(held).is_empty() && rubbing == set("C"), "{push}: {last:?}");
        for name in ["lloyd-reduced", "lloyd-structural", "energy", "energy-literal"] {
            let (watch, _) = watched(name, &[], &problem);
            assert!(!watch.snapshots.is_empty(), "{name}");
            for snapshot in &watch.snapshots {
                assert!(snapshot.sets.len() >= 3, "{name}: {snapshot:?}");
                assert_eq!(snapshot.forces.contacts.len(), 3, "{name}");
            }
        }
        let (energy, forces) = watched("energy", &[], &problem);
        assert!(differ(&energy.snapshots.last().expect("some").forces, &forces) < 1e-9);
    }
    let (lp, forces) = watched("lp", &[], &block(0.0, Friction::Frictionless));
    assert_eq!(lp.snapshots[0].sets[0].name, "V");
    assert_eq!(lp.snapshots[0].forces, forces);
}
