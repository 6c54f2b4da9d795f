"""Single problems from Python."""

import pickle

import numpy as np
import pytest

import stiction as st


def table(legs=4, friction=0.5, mass=3.0, push=0.0):
    angle = 2 * np.pi * np.arange(legs) / legs
    points = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(legs)])
    return st.Problem(
        masses=[mass],
        inertias=[np.eye(3)],
        positions=[[0, 0, 0.5]],
        pairs=[[0, -1]] * legs,
        points=points,
        normals=[[0, 0, 1]] * legs,
        friction=friction,
        wrenches=[[push, 0, -9.81 * mass, 0, 0, 0]],
    )


def test_a_table_stands_and_three_legs_have_unique_normal_forces():
    for legs, unique in [(3, "unique"), (4, "not-unique")]:
        answer = st.solve(table(legs, friction=0))
        assert answer.certified and answer.status == "certified" and answer.residual < 1e-9
        assert answer.normal.sum() == pytest.approx(3 * 9.81)
        assert {word.lower().replace("_", "-") for word in answer.unique["normals"]} == {unique}
        assert answer.response == pytest.approx(np.zeros((1, 6)), abs=1e-9)


def test_solvers_by_name_and_their_refusals():
    for solver in ["auto", "dantzig", "proximal"]:
        assert st.solve(table(), solver=solver).solver
    with pytest.raises(st.SolverError, match="friction"):
        st.solve(table(), solver="lp")
    with pytest.raises(st.InputError, match="dantzi"):
        st.solve(table(), solver="dantzi")
    with pytest.raises(st.InputError, match="precision"):
        st.solve(table(), solver="dantzig", parameters={"precision": 1})


def test_many_problems_are_solved_at_once():
    problems = [table(push=push) for push in np.linspace(0, 20, 200)]
    answers = st.solve_all(problems)
    assert all(answer.certified for answer in answers)
    slides = [answer.response[0, 0] > 1e-9 for answer in answers]
    assert slides == [push > 0.5 * 3 * 9.81 for push in np.linspace(0, 20, 200)]
    refused = st.solve_all(problems[:2], solver="lp")
    assert all(isinstance(answer, st.SolverError) for answer in refused)


def test_an_audit_finds_what_is_wrong():
    problem = table()
    answer = st.solve(problem)
    exact = answer.normal[:, None] * [0.0, 0.0, 1.0] + answer.friction
    assert st.audit(problem, exact).certified
    light = st.audit(problem, 0.9 * exact)
    assert not light.certified and light.residual > 1e-2
    assert light.motion[0, 2] == pytest.approx(-0.981)
    pulled = exact.copy()
    pulled[0, 2] -= 20
    pulled[1, 2] += 20
    assert not st.audit(problem, pulled).certified
    beyond = exact.copy()
    beyond[:, 0] += [5, 5, -5, -5]
    found = st.audit(problem, beyond)
    assert not found.certified and found.exact.certified
    assert "NOT CERTIFIED" in str(found)


@pytest.mark.parametrize("seed", range(5))
def test_turned_problems_have_turned_forces(seed):
    random = np.random.default_rng(seed)
    q, _ = np.linalg.qr(random.normal(size=(3, 3)))
    q *= np.sign(np.linalg.det(q))
    angle = 2 * np.pi * np.arange(3) / 3
    points = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(3)]) @ q.T
    problem = st.Problem(
        [1.0], [np.eye(3)], [q @ [0, 0, 0.5]], [[0, -1]] * 3, points, [q[:, 2]] * 3, 0.5,
        wrenches=[np.concatenate([q @ [1, 0, -9.81], np.zeros(3)])],
    )  # fmt: skip
    answer = st.solve(problem)
    force = answer.normal[:, None] * q[:, 2] + answer.friction
    assert force.sum(axis=0) == pytest.approx(q @ [-1, 0, 9.81])
    assert st.audit(problem, force).certified


def test_problems_are_read_pickled_and_checked(tmp_path):
    problem = table()
    again = pickle.loads(pickle.dumps(problem))
    assert again.to_json() == problem.to_json() and (again.bodies, again.contacts) == (1, 4)
    path = tmp_path / "table.json"
    path.write_text(problem.to_json())
    assert st.Problem.read(path).islands == 1
    path.write_text(problem.to_json().replace('"mass": 3.0', '"mass": -3.0'))
    with pytest.raises(st.InputError) as caught:
        st.Problem.read(path)
    assert caught.value.file == str(path) and caught.value.line > 1 and "mass" in caught.value.key
    for wrong in [
        dict(masses=[np.nan]),
        dict(masses="heavy"),
        dict(masses=[1, 2]),
        dict(normals=[[0, 0, 2]] * 4),
        dict(pairs=[[7, -1]] * 4),
        dict(pairs=[[-1, 0]] * 4),
        dict(level="speed"),
        dict(friction=[0.5] * 3),
        dict(friction=-1),
    ]:
        keys = dict(
            masses=[1], inertias=[np.eye(3)], positions=[[0, 0, 1]], pairs=[[0, -1]] * 4,
            points=np.zeros((4, 3)), normals=[[0, 0, 1]] * 4,
        )  # fmt: skip
        with pytest.raises(st.InputError):
            st.Problem(**{**keys, **wrong})
    with pytest.raises(st.InputError, match="shape"):
        st.audit(problem, np.zeros((3, 3)))
    with pytest.raises(st.InputError, match="finite"):
        st.audit(problem, np.full((4, 3), np.inf))
