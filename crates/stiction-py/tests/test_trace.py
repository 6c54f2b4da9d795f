"""The papers' solvers by name, and what they do step by step."""

import numpy as np
import pytest

import stiction as st


def table(friction=0.0):
    feet = [[1, 0, 0], [-1, 1, 0], [-1, -1, 0], [1, 1, 0]]
    return st.Problem(
        masses=[3.0],
        inertias=[np.eye(3)],
        positions=[[0, 0.1, 0.5]],
        pairs=[[0, -1]] * 4,
        points=feet,
        normals=[[0, 0, 1]] * 4,
        friction=friction,
        wrenches=[[0, 0, -3 * 9.81, 0, 0, 0]],
    )


def test_dantzig_drives_and_pivots():
    trace = st.trace(table(), solver="dantzig", parameters={"initial": "zero"}, inspect=True)
    kinds = {event["event"] for event in trace}
    assert {"drive", "pivot"} <= kinds and trace.answer.certified and trace.failure is None
    assert any("sets" in event for event in trace)
    assert "pushes" in str(trace) and len(trace) == len(list(trace))
    # The forces of the last step are those of the answer.
    last = [event for event in trace if "forces" in event][-1]["forces"]
    assert [contact["normal"] for contact in last["contacts"]] == pytest.approx(trace.answer.normal)


@pytest.mark.parametrize("solver", st.SOLVERS)
def test_every_solver_answers_or_says_why_not(solver):
    trace = st.trace(table(), solver=solver)
    if trace.answer is None:
        assert trace.failure
    else:
        assert trace.answer.normal.sum() == pytest.approx(3 * 9.81, rel=1e-3)
        assert st.solve(table(), solver=solver).normal == pytest.approx(trace.answer.normal)
    assert repr(trace).startswith("<stiction.Trace")


def test_a_refusal_is_a_failure_with_its_reason():
    trace = st.trace(table(friction=0.5), solver="lp")
    assert trace.answer is None and "friction" in trace.failure
    with pytest.raises(st.InputError):
        st.trace(table(), solver="nobody")
    with pytest.raises(st.InputError):
        st.trace(3)
