"""Simulations from Python: statics, closed forms, copies, recordings."""

import copy
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import stiction as st

# The command that the wheel installs, of this environment and no other.
COMMAND = Path(sys.executable).parent / "stiction"

STEPPERS = ["event-driven", "time-stepping"]


def crate(friction=0.5, **keys):
    world = st.World()
    world.add_ground(friction=friction)
    world.add_box("box", size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05), **keys)
    return world


def test_the_first_ten_lines():
    world = st.World()
    world.add_ground(friction=0.5)
    box = world.add_box("box", size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05))
    sim = st.Simulation(world, dt=1 / 240)
    sim.step(240)
    assert sim.position("box") == pytest.approx([0, 0, 0.05], abs=1e-9)
    assert sim.contacts["normal_force"].sum() == pytest.approx(9.81, rel=1e-9)
    assert sim.certificate and sim.time == pytest.approx(1.0) and box == "box"
    problem = sim.problem()
    answer = st.solve(problem, solver="auto")
    forces = answer.normal[:, None] * [0, 0, 1] + answer.friction
    report = st.audit(problem, forces)
    assert report.certified
    verdict = st.stands(world)
    assert verdict.name == "must stand"

    def case(mu, tilt):
        return {"holds": np.tan(tilt) <= mu}

    table = st.sweep(case, {"mu": np.linspace(0.2, 0.9, 100), "tilt": np.radians(range(0, 30))}, executor=None)
    assert len(table) == 3000 and table["holds"].sum() == sum(np.tan(r["tilt"]) <= r["mu"] for r in table)


@pytest.mark.parametrize("stepper", STEPPERS)
def test_forces_act_from_the_first_frame(stepper):
    sim = st.Simulation(crate(), stepper=stepper)
    assert sim.index == 0 and sim.contacts["normal_force"].sum() == pytest.approx(9.81)
    assert set(sim.contacts_with_uniqueness()["unique"]) == {0}


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("friction", [0.1, 0.4])
def test_a_box_slides_as_far_as_friction_lets_it(stepper, friction):
    world = crate(friction, velocity=(1, 0, 0))
    sim = st.Simulation(world, dt=0.01, stepper=stepper, until=2).run()
    assert sim.position("box")[0] == pytest.approx(1 / (2 * friction * 9.81), rel=1e-4)
    assert sim.energy["friction"] == pytest.approx(0.5, rel=1e-4)
    assert sim.certificate.holds and sim.velocity("box") == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_pendulum_swings_with_its_closed_form():
    world = st.World()
    world.add_ball("bob", radius=0.1, mass=2, position=(0.1, 0, 0))
    world.add_joint("pivot", "hinge", "bob", anchor=(0, 0, 1), axis=(0, 1, 0))
    sim = st.Simulation(world, dt=0.01, until=1).run()
    angle = np.arctan2(sim.position("bob")[0], 1 - sim.position("bob")[2])
    inertia = 0.4 * 2 * 0.01 + 2 * (1 + 0.01)
    rate = np.sqrt(2 * 9.81 * np.hypot(1, 0.1) / inertia)
    assert angle == pytest.approx(np.arctan(0.1) * np.cos(rate * 1.0), abs=2e-3)
    assert sim.joints[0]["force"][2] > 0 and sim.joint_names == ["pivot"]


def test_orientations_are_w_x_y_z():
    world = st.World(gravity=(0, 0, 0))
    half = np.sqrt(0.5)
    world.add_box("box", size=(1, 2, 3), mass=1, orientation=(half, 0, 0, half))
    sim = st.Simulation(world)
    assert sim.orientation("box") == pytest.approx([half, 0, 0, half])
    sim.set_velocity("box", angular=(0, 0, 1))
    sim.step(10)
    angle = np.pi / 2 + 0.1
    assert sim.orientation(0) == pytest.approx([np.cos(angle / 2), 0, 0, np.sin(angle / 2)])


def test_copies_and_pickles_continue_from_the_present_state():
    sim = st.Simulation(crate(velocity=(1, 0, 0)), dt=0.01).step(3)
    twins = [sim.copy(), copy.copy(sim), pickle.loads(pickle.dumps(sim))]
    for twin in twins:
        assert twin.frame.hash == sim.frame.hash and twin.index == 3
        twin.step(5)
    sim.step(5)
    for twin in twins:
        assert twin.positions == pytest.approx(sim.positions, abs=1e-9)
    assert len({twin.frame.hash for twin in twins}) == 1
    assert pickle.loads(pickle.dumps(sim.frame)).hash == sim.frame.hash
    kept = pickle.loads(pickle.dumps(sim.contacts))
    assert kept["normal_force"] == pytest.approx(sim.contacts["normal_force"])
    sim.reset()
    assert sim.index == 0 and sim.position("box")[0] == 0


def test_recordings_are_written_read_judged_and_replayed(tmp_path):
    path = tmp_path / "run.stiction"
    sim = st.Simulation(crate(velocity=(1, 0, 0)), dt=0.01)
    sim.record(path)
    sim.step(20)
    sim.stop_recording()
    recording = st.Recording(path)
    assert len(recording) == 21 and recording.faults == [] and recording.certificate.holds
    assert recording[-1].hash == sim.frame.hash
    assert [frame.index for frame in recording] == list(range(21))
    assert recording.world.bodies == ["ground", "box"]
    replayed = subprocess.run([COMMAND, "replay", path], capture_output=True, text=True)
    assert replayed.returncode == 0, replayed.stderr
    with pytest.raises(st.InputError, match="exists already"):
        st.Simulation(crate()).record(path)
    with pytest.raises(IndexError):
        recording[21]


def test_worlds_are_read_and_written(tmp_path):
    path = tmp_path / "world.toml"
    path.write_text(crate().to_toml())
    world = st.World.read(path)
    world.add_ball("ball", radius=0.1, position=(1, 0, 0.1), mass=0.5)
    assert world.bodies == ["ground", "box", "ball"]
    again = pickle.loads(pickle.dumps(world))
    assert again.to_toml() == world.to_toml()
    assert st.Simulation(again).contacts["normal_force"].sum() == pytest.approx(1.5 * 9.81)


def test_input_errors_name_file_line_and_key(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('[[body]]\nname = "a"\nbox = [1, 1]\n')
    with pytest.raises(st.InputError) as caught:
        st.World.read(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)
    assert isinstance(caught.value, ValueError) and "box" in caught.value.key
    assert pickle.loads(pickle.dumps(caught.value)).line == 3
    with pytest.raises(st.InputError, match="did you mean 'box'"):
        st.Simulation(crate()).position("bx")
    with pytest.raises(st.InputError, match="stepper: unknown"):
        st.Simulation(crate(), stepper="event")
    with pytest.raises(st.InputError, match="size: has the shape"):
        st.World().add_box("box", size=(1, 2))
    with pytest.raises(st.InputError, match="exists already"):
        crate().add_box("box", size=(1, 1, 1))
    with pytest.raises(st.SolverError, match="friction"):
        st.Simulation(crate(), solver="lp")


def test_other_threads_run_while_a_simulation_steps():
    world = crate(velocity=(1, 0, 0))
    sims = [st.Simulation(world, dt=0.01) for _ in range(4)]
    threads = [threading.Thread(target=sim.step, args=(20,)) for sim in sims]
    for thread in threads:
        thread.start()
    shared = st.Simulation(world, dt=0.01)
    both = [threading.Thread(target=shared.step, args=(10,)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in threads + both:
        thread.join()
    assert len({sim.frame.hash for sim in [*sims, shared]}) == 1


def test_tables_and_html():
    sim = st.Simulation(crate())
    table = sim.contacts.to_pandas()
    assert list(table["first"]) == ["box"] * 4 and table["normal_force"].sum() == pytest.approx(9.81)
    assert "<table>" in sim.contacts._repr_html_() and "overlap" in sim.certificate._repr_html_()
    assert "certified" in str(sim.certificate) and "box" not in repr(sim)


def test_the_command_is_installed():
    shown = subprocess.run([COMMAND, "--version"], capture_output=True, text=True)
    assert shown.stdout.split()[-1] == st.__version__
