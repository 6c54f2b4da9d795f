"""Worlds from models of MuJoCo: masses, inertias, poses and axes are MuJoCo's, and so is the motion as the step shrinks."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import stiction as st

mujoco = pytest.importorskip("mujoco")

#: MuJoCo's numbers, to rounding.
SAME = 1e-12


def shipped():
    """The models in the wheel of MuJoCo, and those of Gymnasium where it is installed."""
    found = sorted((Path(mujoco.__file__).parent / "testdata").glob("*.xml"))
    gym = importlib.util.find_spec("gymnasium")
    if gym and gym.origin:
        found += sorted((Path(gym.origin).parent / "envs/mujoco/assets").glob("*.xml"))
    return found


#: Bodies that slide along two axes without turning: no joint of ours does.
REFUSED = ("pusher.xml", "pusher_v5.xml", "reacher.xml")

PENDULUM = """<body name="rod" pos="0 0 2"><joint name="pin" axis="0 1 0" limited="true" range="-170 170" frictionloss="0"/>
<geom type="capsule" size=".04" fromto="0 0 0 .8 .1 -.2" mass="1.3"/></body>"""

WRITTEN = {
    "a box": '<body name="b" pos=".1 .2 3"><freejoint/><geom type="box" size=".1 .2 .3" euler="10 20 30" pos=".1 0 .05"/></body>',
    "two geoms, one welded body": """<body name="b" pos="0 0 1"><freejoint/><geom type="sphere" size=".1"/>
        <body pos=".3 0 .1" euler="0 40 0"><geom type="box" size=".1 .05 .02"/></body></body>""",
    "pendulum": PENDULUM,
    "double pendulum": """<body name="one" pos="0 0 2" euler="0 20 0"><joint name="j1" axis="0 1 0"/><geom type="capsule" size=".03"
        fromto="0 0 0 0 0 -.5"/><body name="two" pos="0 0 -.5"><joint name="j2" axis="0 1 .3"/><geom type="cylinder" size=".03"
        fromto="0 0 0 .4 0 0"/></body></body>""",
    "slider": '<body name="b" euler="0 30 0"><joint name="s" type="slide" axis="1 0 0" range="-.2 .4" limited="true"/><geom type="box" size=".1 .1 .1"/></body>',
    "ball joint": '<body name="b" pos="0 0 1"><joint name="j" type="ball" pos="0 0 .2"/><geom type="ellipsoid" size=".1 .1 .2" contype="0" conaffinity="0"/></body>',
    "universal": """<body name="b" pos="0 0 1"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/>
        <geom type="capsule" size=".05" fromto="0 0 0 0 0 -.6"/></body>""",
    "planar": """<body name="b" pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <joint name="t" axis="0 1 0"/><geom type="box" size=".2 .1 .05"/></body>""",
    "screw": '<body name="b"><joint name="s" type="slide" axis="0 0 1"/><joint name="t" axis="0 0 1"/><geom type="box" size=".2 .1 .05"/></body>',
    "explicit inertia": """<body name="b" pos="0 0 1"><freejoint/><inertial pos=".1 0 .05" mass="2" fullinertia=".02 .03 .04 .001 .002 -.003"/>
        <geom type="sphere" size=".1" friction=".3 0 0" condim="1"/></body>""",
    "closed loop": """<body name="l" pos="0 0 1"><joint name="l" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 .3"/></body>
        <body name="r" pos=".6 0 1"><joint name="r" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 -.3 0 .3"/></body>""",
}  # fmt: skip
AFTER = {"closed loop": '<equality><connect body1="l" body2="r" anchor=".3 0 .3"/></equality>'}


def compiled(words, after="", option=""):
    plane = '<geom name="floor" type="plane" size="5 5 .1" pos="0 0 -2"/>'
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><option {option}/><worldbody>{plane}{words}</worldbody>{after}</mujoco>"
    )


def moving(model, seed=3):
    """Data in which everything is somewhere and moves, with no joint beyond its limits."""
    data = mujoco.MjData(model)
    draw = np.random.default_rng(seed)
    if not model.neq:
        mujoco.mj_integratePos(model, data.qpos, draw.uniform(-0.1, 0.1, model.nv), 1.0)
    data.qvel[:] = draw.uniform(-1, 1, model.nv)
    mujoco.mj_forward(model, data)
    return data


def rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion, dtype=float))
    return matrix.reshape(3, 3)


def compare(model, data):
    """Masses, inertias, poses, axes and the kinetic energy of everything."""
    # Bodies that overlap would be moved apart at the start.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    world = st.World.from_mujoco(model, data, quiet=True)
    sim = st.Simulation(world)
    described = world.description()
    bodies = {body["name"]: body for body in described["bodies"]}
    scale = max(1.0, np.abs(data.xipos).max())
    for b in range(1, model.nbody):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, b) or f"body {b}"
        alone = np.sum(model.body_weldid == model.body_weldid[b]) == 1
        if model.body_weldid[b] == 0 or not alone:
            continue
        assert bodies[name]["mass"] == pytest.approx(model.body_mass[b], rel=SAME)
        assert sim.position(name) == pytest.approx(data.xipos[b], abs=SAME * scale)
        axes = rotation(sim.orientation(name))
        assert axes == pytest.approx(data.ximat[b].reshape(3, 3), abs=SAME)
        ours = axes @ np.array(bodies[name]["inertia"]) @ axes.T
        theirs = data.ximat[b].reshape(3, 3) @ np.diag(model.body_inertia[b]) @ data.ximat[b].reshape(3, 3).T
        assert ours == pytest.approx(theirs, rel=SAME, abs=SAME * np.abs(theirs).max())
    joints = {joint["name"]: joint for joint in described["joints"]}
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j) or f"joint {j}"
        if name in joints and joints[name]["kind"] in ("hinge", "slider"):
            joint = joints[name]
            x, y, z, w = joint["frame_a"]["rotation"]
            on = rotation(sim.orientation(joint["a"]))
            assert on @ rotation([w, x, y, z])[:, 2] == pytest.approx(data.xaxis[j], abs=SAME)
            at = sim.position(joint["a"]) + on @ joint["frame_a"]["position"]
            assert at == pytest.approx(data.xanchor[j], abs=SAME * scale)
    return world, sim


def kinetic(model, data):
    """MuJoCo's kinetic energy without rotor inertias."""
    mass = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, mass)
    except TypeError:  # before version 4
        mujoco.mj_fullM(model, mass, data.qM)
    mass -= np.diag(model.dof_armature)
    return 0.5 * data.qvel @ mass @ data.qvel


@pytest.mark.parametrize("name", WRITTEN)
def test_written_models_are_the_same_bodies(name):
    model = compiled(WRITTEN[name], AFTER.get(name, ""))
    data = moving(model)
    if name == "closed loop":
        data.qvel[:] = 0
    world, sim = compare(model, data)
    assert sim.energy["kinetic"] == pytest.approx(kinetic(model, data), rel=1e-11, abs=1e-14)
    sim.step(5)
    assert all(law.holds for law in sim.certificate.laws if law.name in ("contact", "joints")), sim.certificate


def test_there_are_ten_written_models():
    assert len(WRITTEN) >= 10


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_shipped_models_are_the_same_bodies(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = moving(model)
    if path.name in REFUSED:
        with pytest.raises(st.InputError, match="no counterpart"):
            st.World.from_mujoco(model, data)
        return
    _, sim = compare(model, data)
    assert sim.energy["kinetic"] == pytest.approx(kinetic(model, data), rel=1e-10, abs=1e-12)


def test_what_is_left_out_is_printed(capsys):
    model = compiled(
        '<body><joint name="h" damping="1" armature=".1" stiffness="3"/><geom type="ellipsoid" size=".1 .2 .3"/></body>'
    )
    world = st.World.from_mujoco(model)
    printed = capsys.readouterr().out
    for words in ("damping", "armature", "spring", "ellipsoid"):
        assert words in printed and any(words in line for line in world.left_out)
    st.World.from_mujoco(compiled(WRITTEN["a box"]), quiet=True)
    assert capsys.readouterr().out == ""


def test_friction_limits_motors_and_excludes():
    model = compiled(
        """<body name="a" pos="0 0 -1.9"><freejoint/><geom type="box" size=".1 .1 .1" friction=".3 0 0"/></body>
        <body name="b" pos="0 0 -1.7"><freejoint/><geom type="box" size=".1 .1 .1" friction=".9 0 0"/></body>
        <body name="arm" pos="2 0 1"><joint name="pin" axis="0 0 1" limited="true" range="-20 30" frictionloss=".2"/>
        <geom type="box" size=".1 .1 .1"/></body>""",
        '<contact><exclude body1="a" body2="b"/></contact><actuator><motor joint="pin" gear="2"/></actuator>',
    )
    data = mujoco.MjData(model)
    data.ctrl[0] = 3.0
    world = st.World.from_mujoco(model, data, quiet=True)
    sim = st.Simulation(world, dt=0.01).step(1)
    touching = {(sim.bodies[c["first"]], sim.bodies[c["second"]]) for c in sim.contacts}
    assert not any({"a", "b"} <= set(pair) for pair in touching) and touching
    floor = [c for c in sim.contacts if "a" in (sim.bodies[c["first"]], sim.bodies[c["second"]])]
    # MuJoCo takes the larger of both, the floor's 1.
    assert {c["static_friction"] for c in floor} == {1.0}
    # The motor turns with 6 N m against dry friction of 0.2 N m, until the limit.
    inertia = model.body_inertia[3][2]
    assert sim.angular_velocity("arm")[2] == pytest.approx(0.01 * 5.8 / inertia, rel=1e-9)
    sim.step(200)
    assert sim.joints["coordinate"][0] <= np.radians(30) + 1e-6


def ours(model, until, dt=0.01):
    sim = st.Simulation(st.World.from_mujoco(model, quiet=True), dt=dt, until=until)
    return sim.run()


def theirs(model, until, step):
    model.opt.timestep = step
    data = mujoco.MjData(model)
    for _ in range(round(until / step)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return data


@pytest.mark.parametrize("name", ["a box", "pendulum", "double pendulum", "planar", "universal"])
def test_motion_agrees_with_mujoco_as_its_step_shrinks(name):
    # Euler's steps: the difference halves with the step; RK4 is as near as its error allows.
    until = 0.5
    where = {}
    for order, steps in {"Euler": [4e-3, 2e-3, 1e-3], "RK4": [1e-3]}.items():
        for step in steps:
            model = compiled(WRITTEN[name], option=f'integrator="{order}" gravity="0 0 -9.81"')
            model.dof_damping[:] = 0
            where[order, step] = theirs(model, until, step).xipos[1:].copy()
    sim = ours(model, until)
    mine = np.array([sim.position(b) for b in sim.bodies if b != "floor"])
    assert sim.certificate, sim.certificate
    off = [np.abs(where["Euler", step] - mine).max() for step in (4e-3, 2e-3, 1e-3)]
    # What the scheme of ours leaves, per second of motion.
    own = 1e-6
    assert np.abs(where["RK4", 1e-3] - mine).max() < own
    assert off[1] == pytest.approx(off[0] / 2, rel=0.05, abs=own)
    assert off[2] == pytest.approx(off[1] / 2, rel=0.05, abs=own)


def test_models_are_read_from_files(tmp_path, capsys):
    file = tmp_path / "pendulum.xml"
    file.write_text(f"<mujoco><worldbody>{WRITTEN['pendulum']}</worldbody></mujoco>")
    assert st.World.read(file).bodies == ["rod"] and "softness" in capsys.readouterr().out
    urdf = tmp_path / "box.urdf"
    urdf.write_text(
        """<robot name="r"><link name="base"/><joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
        <link name="arm"><inertial><mass value="2"/><inertia ixx=".1" iyy=".2" izz=".15" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    )
    assert st.World.read(urdf).joints == ["j"]
    file.write_text("<mujoco><worldbody><body></mujoco>")
    with pytest.raises(st.InputError, match="pendulum.xml"):
        st.World.read(file)
