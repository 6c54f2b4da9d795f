"""Audits of PyBullet and Drake: frames, signs and loads."""

import json

import numpy as np
import pytest

import stiction as st


def turned(seed):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return turn * np.sign(np.linalg.det(turn))


def quaternion(turn):
    """x y z w of a rotation."""
    w = np.sqrt(max(0.0, 1 + np.trace(turn))) / 2
    x, y, z = (turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])
    return np.array([x, y, z, 4 * w * w]) / (4 * w)


@pytest.fixture
def bullet():
    pybullet = pytest.importorskip("pybullet", reason="pybullet is not installed")
    client = pytest.importorskip("pybullet_utils.bullet_client").BulletClient(pybullet.DIRECT)
    client.setPhysicsEngineParameter(numSolverIterations=200)
    yield client
    client.disconnect()


def body(p, half, mass, position, turn, mu, plane=None):
    if plane is None:
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half)
    else:
        shape = p.createCollisionShape(p.GEOM_PLANE, planeNormal=plane)
    made = p.createMultiBody(mass, shape, -1, position, quaternion(turn))
    p.changeDynamics(
        made, -1, lateralFriction=mu, rollingFriction=0, spinningFriction=0, restitution=0, linearDamping=0, angularDamping=0
    )
    return made


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_pybullet_on_rotated_stacks(bullet, seed):
    turn = np.eye(3) if seed is None else turned(seed)
    bullet.setGravity(*(turn @ [0, 0, -9.81]))
    body(bullet, None, 0, [0, 0, 0], np.eye(3), 0.8, plane=(turn @ [0, 0, 1]).tolist())
    boxes = [body(bullet, [0.2, 0.15, 0.1], 2.0, turn @ [0, 0, 0.1 + 0.2 * k], turn, 0.75) for k in range(3)]
    for _ in range(200):
        bullet.stepSimulation()
    before = {box: bullet.getBaseVelocity(box) for box in boxes}
    bullet.stepSimulation()
    found = st.audit_pybullet(bullet, before)
    assert found.problem.bodies == 3 and found.problem.contacts >= 9
    # Its forces balance to its own precision; it sinks by some 1e-5 m and creeps.
    assert found.figures["imbalance_force_moving"] < 1e-6
    assert found.figures["imbalance_force"] < 1e-2 and found.weight == pytest.approx(2 * 9.81)
    assert found.figures["tension"] == 0 and found.exact.certified
    assert (found.normal > -1e-12).all() and not found.certified
    assert st.audit_pybullet(bullet).balance_moving is None


def test_pybullet_slides_with_its_product_of_coefficients(bullet):
    bullet.setGravity(2.0, 0, -9.81)
    body(bullet, None, 0, [0, 0, 0], np.eye(3), 0.5, plane=[0, 0, 1])
    box = body(bullet, [0.2, 0.2, 0.05], 1.0, [0, 0, 0.05], np.eye(3), 0.2)
    for _ in range(100):
        bullet.stepSimulation()
    before = {box: bullet.getBaseVelocity(box)}
    bullet.stepSimulation()
    found = st.audit_pybullet(bullet, before)
    # 0.5 · 0.2 of its weight against 2 / 9.81 of it: it slides, and friction is on its cone.
    assert found.figures["friction_use"] == pytest.approx(1, abs=1e-6)
    assert found.figures["friction_power"] < 0 and found.figures["slipping_contacts_off_the_cone"] == 0
    assert found.figures["imbalance_force_moving"] < 1e-9


def test_pybullet_refusals(bullet):
    link = dict(
        linkMasses=[1], linkCollisionShapeIndices=[-1], linkVisualShapeIndices=[-1], linkPositions=[[0, 0, 1]],
        linkOrientations=[[0, 0, 0, 1]], linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
        linkParentIndices=[0], linkJointTypes=[bullet.JOINT_REVOLUTE], linkJointAxis=[[0, 0, 1]],
    )  # fmt: skip
    box = body(bullet, [0.1, 0.1, 0.1], 1, [0, 0, 1], np.eye(3), 0.5)
    with pytest.raises(st.InputError, match="before"):
        st.audit_pybullet(bullet, before={})
    bullet.removeBody(box)
    bullet.createMultiBody(1, -1, -1, [0, 0, 0], **link)
    with pytest.raises(st.InputError, match="joints"):
        st.audit_pybullet(bullet)


def plant(turn, mu=(0.8, 0.75), push=0.0):
    """Three boxes that stand on balls at their corners, on a half-space, all of it turned."""
    pytest.importorskip("pydrake", reason="drake is not installed")
    from pydrake.geometry import Box, HalfSpace, Sphere
    from pydrake.math import RigidTransform, RotationMatrix
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    made, _ = AddMultibodyPlantSceneGraph(builder, 1e-3)
    rotation = RotationMatrix(turn)
    made.RegisterCollisionGeometry(
        made.world_body(), RigidTransform(rotation, [0, 0, 0]), HalfSpace(), "ground", CoulombFriction(mu[0], mu[0])
    )
    size = np.array([0.4, 0.3, 0.2])
    boxes = []
    for k in range(3):
        inertia = SpatialInertia(2.0, [0, 0, 0], UnitInertia.SolidBox(*size))
        box = made.AddRigidBody(f"box {k}", inertia)
        rough = CoulombFriction(mu[1], mu[1])
        made.RegisterCollisionGeometry(box, RigidTransform(), Box(*size), f"box {k}", rough)
        for x, y in [(-0.15, -0.1), (0.15, -0.1), (0.15, 0.1), (-0.15, 0.1)]:
            foot = RigidTransform([x, y, -0.1])
            made.RegisterCollisionGeometry(box, foot, Sphere(0.02), f"foot {k} {x} {y}", rough)
        boxes.append(box)
    made.mutable_gravity_field().set_gravity_vector(turn @ [push, 0, -9.81])
    made.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = made.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for k, box in enumerate(boxes):
        made.SetFreeBodyPose(context, box, RigidTransform(rotation, turn @ [0, 0, 0.12 + 0.22 * k]))
    simulator.AdvanceTo(0.5)
    return made, context, simulator


@pytest.mark.parametrize("seed", [None, 1])
def test_drake_on_rotated_stacks(seed):
    made, context, _keep = plant(np.eye(3) if seed is None else turned(seed))
    found = st.audit_drake(made, context)
    assert found.problem.bodies == 3 and found.problem.contacts >= 3
    assert found.weight == pytest.approx(2 * 9.81)
    assert found.problem.contacts == 12 and found.figures["tension"] < 1e-12
    assert found.figures["imbalance_force"] < 1e-2 and found.figures["imbalance_torque"] < 1e-2
    assert found.figures["penetration"] > 0 and found.exact.certified


def test_drake_slides():
    made, context, _keep = plant(np.eye(3), mu=(0.1, 0.1), push=2.0)
    found = st.audit_drake(made, context)
    assert found.figures["friction_use"] == pytest.approx(1, abs=1e-3)
    assert found.figures["creep"] > 0.1 and found.figures["friction_power"] < 0
    assert found.figures["imbalance_force_moving"] < 1e-2


def test_drake_combines_coefficients():
    made, context, _keep = plant(np.eye(3))
    found = st.audit_drake(made, context)
    # 2 · 0.8 · 0.75 / (0.8 + 0.75), and two of 0.75
    friction = {round(contact["mu"], 9) for contact in json.loads(found.problem.to_json())["contacts"]}
    assert friction == {0.774193548, 0.75}
