"""Calls that make no sense: exceptions, never a crash."""

import random

import numpy as np
import pytest

import stiction as st

VALUES = [
    None, True, -1, 0, 1, 2**70, 0.5, -0.0, float("nan"), float("inf"), "", "box", "ground", b"x",
    [], [1, 2, 3], (0, 0, 1), [[1, 2], [3]], np.zeros(3), np.zeros((0, 3)), np.array("text"), {},
    {"a": 1}, object(), "auto", "time-stepping", lambda: 0, np.eye(3), [[0, -1]], 1e300, -1e-300,
]  # fmt: skip

EXPECTED = (st.InputError, st.SolverError, TypeError, ValueError, IndexError, OverflowError, OSError)


def world():
    made = st.World()
    made.add_ground()
    made.add_box("box", size=(1, 1, 1), position=(0, 0, 0.5), mass=1)
    return made


def calls(sim, problem, made):
    names = [
        made.add_box, made.add_ball, made.add_hull, made.add_capsule, made.add_joint, made.add_spring,
        made.add_material, made.set_pair, made.add_body, made.add_ground, sim.position, sim.orientation,
        sim.set_velocity, sim.problem, sim.record, st.World, st.World.parse, st.World.read,
        st.Simulation, st.Problem, st.Problem.parse, st.Problem.read, st.Recording, st.solve,
        st.solve_all, st.audit,
    ]  # fmt: skip
    return names + [lambda *a: sim.step(*(x if not isinstance(x, int) or x < 3 else 2 for x in a))]


@pytest.mark.parametrize("seed", range(10))
def test_random_calls_raise_and_do_not_crash(seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(seed)
    made, sim = world(), st.Simulation(world(), dt=0.01)
    problem = sim.problem()
    pool = [*VALUES, made, sim, problem, sim.frame]
    for number in range(1000):
        if number % 50 == 0:
            made = world()
        call = draw.choice(calls(sim, problem, made))
        arguments = [draw.choice(pool) for _ in range(draw.randrange(8))]
        try:
            call(*arguments)
        except EXPECTED:
            pass
    assert sim.frame.positions.shape == (2, 3)


def test_bytes_of_frames_that_are_damaged_are_refused():
    sim = st.Simulation(world())
    data = sim.frame._core.encode()
    for cut in range(0, len(data), 7):
        with pytest.raises(st.InputError):
            st._core.Frame.decode(data[:cut])
    other = st.World()
    other.add_ball("ball", radius=1, mass=1)
    state = st.Simulation(other).__getstate__()
    twin = st.Simulation.__new__(st.Simulation)
    with pytest.raises(st.InputError, match="another world"):
        twin.__setstate__((world(), state[1], state[2]))
