#!/usr/bin/env python3
"""The contact forces of other engines, audited: the tables of docs/audits.md.

    python benches/audits.py [FOLDER]    # files in the format audit-1; by default ../shared/data/assemblies/audit

Needs stiction; mujoco, pybullet and drake where they are installed.
"""

import sys
from pathlib import Path

import numpy as np

import stiction as st

ROOT = Path(__file__).resolve().parents[1]
HEAD = [
    "| {} | balance | beyond the cone | pulls | sinks (mm) | creep (mm/s) | residual | certified |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
]


def row(name, found):
    """A line of the table: forces in mean weights."""
    figures = found.figures
    moving = figures.get("imbalance_force_moving")
    balance = figures["imbalance_force"] if moving is None else min(moving, figures["imbalance_force"])

    def optional(key):
        return f"{1000 * figures[key]:.3g}" if key in figures else "–"

    certified = "yes" if found.certified else "no"
    return (
        f"| {name} | {balance:.1e} | {figures['cone_violation']:.1e} | {figures['tension']:.1e} | {optional('penetration')} "
        f"| {optional('creep')} | {found.residual:.1e} | {certified} |"
    )


def ours(boxes, slope):
    """Boxes on each other on a slope, by this package."""
    world = st.World(gravity=9.81 * np.array([np.sin(slope), 0, -np.cos(slope)]))
    world.add_ground(friction=0.6)
    for k in range(boxes):
        world.add_box(f"b{k}", size=(0.4, 0.3, 0.2), density=1000, position=(0, 0, 0.1 + 0.2 * k), friction=0.6)
    world.add_material("default", friction=0.6)
    sim = st.Simulation(world, dt=0.01, until=1.0).run()
    problem, contacts = sim.problem(), sim.contacts
    force = contacts["normal_force"][:, None] * contacts["normal"] + contacts["friction_force"]
    moved = st.audit(problem, force, gaps=contacts["gap"], velocities=contacts["slip"])
    return moved


def by_mujoco(boxes, slope):
    """The same by MuJoCo: Newton's method, elliptic cones."""
    import mujoco

    gravity = f"{9.81 * np.sin(slope):.15f} 0 {-9.81 * np.cos(slope):.15f}"
    geom = '<geom type="box" size=".2 .15 .1" density="1000" friction="0.6 0 0" condim="3"/>'
    bodies = "".join(f'<body pos="0 0 {0.1 + 0.2 * k}"><freejoint/>{geom}</body>' for k in range(boxes))
    text = (
        f'<mujoco><option timestep="0.002" cone="elliptic" solver="Newton" tolerance="1e-12" gravity="{gravity}"/>'
        f'<worldbody><geom type="plane" size="5 5 .1" friction="0.6 0 0" condim="3"/>{bodies}</worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    while data.time < 1.0:
        mujoco.mj_step(model, data)
    return st.audit_mujoco(model, data)


def by_pybullet(boxes, slope):
    """The same by PyBullet: 200 iterations, steps of 1/240 s."""
    import pybullet
    from pybullet_utils.bullet_client import BulletClient

    p = BulletClient(pybullet.DIRECT)
    p.setGravity(9.81 * np.sin(slope), 0, -9.81 * np.cos(slope))
    p.setPhysicsEngineParameter(numSolverIterations=200)
    plane = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.2, 0.15, 0.1])
    made = [p.createMultiBody(24.0, shape, -1, [0, 0, 0.1 + 0.2 * k]) for k in range(boxes)]
    for body in [plane, *made]:
        # The coefficients of two bodies are multiplied.
        p.changeDynamics(
            body, -1, lateralFriction=np.sqrt(0.6), rollingFriction=0, spinningFriction=0, restitution=0, linearDamping=0, angularDamping=0
        )
    for _ in range(239):
        p.stepSimulation()
    before = {body: p.getBaseVelocity(body) for body in made}
    p.stepSimulation()
    found = st.audit_pybullet(p, before)
    p.disconnect()
    return found


def by_drake(boxes, slope):
    """The same by Drake, discrete, steps of 1 ms; boxes stand on four balls of 1 mm, one point of contact each."""
    from pydrake.geometry import Box, HalfSpace, Sphere
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 1e-3)
    rough = CoulombFriction(0.6, 0.6)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", rough)
    made = []
    for k in range(boxes):
        body = plant.AddRigidBody(f"b{k}", SpatialInertia(24.0, [0, 0, 0], UnitInertia.SolidBox(0.4, 0.3, 0.2)))
        plant.RegisterCollisionGeometry(body, RigidTransform(), Box(0.4, 0.3, 0.196), f"box {k}", rough)
        for x, y in [(-0.19, -0.14), (0.19, -0.14), (0.19, 0.14), (-0.19, 0.14)]:
            plant.RegisterCollisionGeometry(body, RigidTransform([x, y, -0.099]), Sphere(0.003), f"{k} {x} {y}", rough)
        made.append(body)
    plant.mutable_gravity_field().set_gravity_vector([9.81 * np.sin(slope), 0, -9.81 * np.cos(slope)])
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for k, body in enumerate(made):
        plant.SetFreeBodyPose(context, body, RigidTransform([0, 0, 0.102 + 0.2 * k]))
    simulator.AdvanceTo(1.0)
    return st.audit_drake(plant, context)


SCENES = {"one box, flat": (1, 0.0), "ten boxes, flat": (10, 0.0), "one box at 0.9 of the friction angle": (1, np.arctan(0.54))}
ENGINES = {"stiction": ours, "MuJoCo": by_mujoco, "PyBullet": by_pybullet, "Drake": by_drake}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared/data/assemblies/audit"
    print("\n".join(HEAD).format("scene, engine"))
    for scene, (boxes, slope) in SCENES.items():
        for engine, run in ENGINES.items():
            try:
                found = run(boxes, slope)
            except ImportError as error:
                print(f"skipped: {engine}: {error}", file=sys.stderr)
                continue
            print(row(f"{scene}, {engine}", found), flush=True)
    print()
    print("\n".join(HEAD).format("file"))
    for file in sorted(folder.glob("*.json")):
        print(row(f"`{file.stem}`", st.audit_file(file)), flush=True)


if __name__ == "__main__":
    main()
