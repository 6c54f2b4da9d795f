"""Audits of MuJoCo."""

import numpy as np
import pytest

import stiction as st

mujoco = pytest.importorskip("mujoco")

OPTION = '<option timestep="0.002" cone="elliptic" solver="Newton" tolerance="1e-12" iterations="200"'
BOX = '<geom type="box" size=".2 .15 .1" friction="0.6 0 0" condim="{condim}" pos="{at}"/>'


def model(turn=np.eye(3), boxes=3, condim=3, at="0 0 0"):
    """A stack on a plane, all of it turned."""
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, turn.flatten())
    words = " ".join(map(str, quat))
    gravity = " ".join(map(str, turn @ [0, 0, -9.81]))
    bodies = "".join(
        f'<body name="b{k}" pos="{" ".join(map(str, turn @ [0, 0, 0.1 + 0.2 * k]))}" quat="{words}">'
        f"<freejoint/>{BOX.format(condim=condim, at=at)}</body>"
        for k in range(boxes)
    )
    plane = f'<geom type="plane" size="5 5 .1" quat="{words}" friction="0.6 0 0" condim="{condim}"/>'
    text = f'<mujoco>{OPTION} gravity="{gravity}"/><worldbody>{plane}{bodies}</worldbody></mujoco>'
    made = mujoco.MjModel.from_xml_string(text)
    return made, mujoco.MjData(made)


def turned(seed):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return turn * np.sign(np.linalg.det(turn))


@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_frames_signs_and_loads_are_those_of_mujoco(seed, condim):
    made, data = model(np.eye(3) if seed is None else turned(seed), condim=condim)
    # A push and a throw, so that everything moves and nothing is symmetric.
    data.xfrc_applied[2] = [1, -2, 3, 0.1, 0.2, -0.3]
    data.qvel[:6] = [0.1, 0.2, -0.1, 0.3, -0.2, 0.5]
    for _ in range(7):
        mujoco.mj_step(made, data)
    found = st.audit_mujoco(made, data)
    assert found.problem.bodies == 3 and found.problem.contacts > 0
    # What the tolerance of its solver leaves.
    assert found.figures["imbalance_force_moving"] < 1e-6
    assert found.figures["imbalance_torque_moving"] < 1e-6


def test_soft_contacts_are_not_exact_and_the_exact_forces_are_given():
    made, data = model()
    for _ in range(1000):
        mujoco.mj_step(made, data)
    found = st.audit_mujoco(made, data)
    assert found.figures["penetration"] > 1e-6 and found.figures["creep"] < 1e-6
    exact = found.exact
    assert exact.certified and exact.normal[:4].sum() > 0
    weight = 9.81 * made.body_mass[1]
    assert found.weight == pytest.approx(weight) and found.figures["imbalance_force"] < 1e-3


def test_bodies_whose_frame_is_not_their_centre():
    made, data = model(boxes=1, at="0.1 0.05 0")
    data.qvel[:6] = [0, 0, 1, 2, 3, 4]
    for _ in range(5):
        mujoco.mj_step(made, data)
    found = st.audit_mujoco(made, data)
    assert found.problem.contacts >= 0 and found.figures["imbalance_force_moving"] < 1e-9


def test_what_is_not_audited_is_refused():
    for body, words in [
        ('<joint type="hinge"/>', "not free"),
        ('<freejoint/><body><geom type="sphere" size=".1"/></body>', "welded"),
    ]:
        text = f'<mujoco><worldbody><body name="arm">{body}<geom type="sphere" size=".1"/></body></worldbody></mujoco>'
        made = mujoco.MjModel.from_xml_string(text)
        with pytest.raises(st.InputError, match=words):
            st.audit_mujoco(made, mujoco.MjData(made))
