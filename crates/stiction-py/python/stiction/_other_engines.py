"""Forces of PyBullet and Drake, judged."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Floats
from ._audit import Audit
from ._engines import Contacts, velocity_at
from ._errors import InputError

__all__ = ["audit_drake", "audit_pybullet"]

#: The velocity of a body of PyBullet: linear, angular.
Twist = Tuple[ArrayLike, ArrayLike]


def audit_pybullet(client: Any, before: Optional[Mapping[int, Twist]] = None) -> Audit:
    """Judges the contact forces of PyBullet's last step: `client` is the module `pybullet` or a `BulletClient`.

    Positions are those after that step, forces those of the step, as PyBullet has them. It gives no accelerations; with `before`, the results of
    `getBaseVelocity` of the bodies before that step, they are the change of velocity. Coefficients of friction multiply. Bodies with joints are
    refused; rolling and spinning friction are not judged."""
    if not hasattr(client, "getPhysicsEngineParameters"):
        raise InputError(f"client: a {type(client).__name__} is no client of PyBullet", key="client")
    if not (before is None or isinstance(before, Mapping)):
        raise InputError(f"before: a {type(before).__name__} is no dict", key="before")
    settings = client.getPhysicsEngineParameters()
    gravity = np.array([settings[f"gravityAcceleration{axis}"] for axis in "XYZ"])
    known = [client.getBodyUniqueId(index) for index in range(client.getNumBodies())]
    moving: List[int] = []
    for body in known:
        if client.getNumJoints(body):
            raise InputError(f"client: body {body} has joints, which are not audited", key="client")
        if client.getDynamicsInfo(body, -1)[0] > 0:
            moving.append(body)
    number = {body: index for index, body in enumerate(moving)}
    masses, inertias, positions, velocities = [], [], [], []
    for body in moving:
        dynamics = client.getDynamicsInfo(body, -1)
        at, turn = client.getBasePositionAndOrientation(body)
        axes = np.array(client.getMatrixFromQuaternion(turn)).reshape(3, 3)
        masses.append(dynamics[0])
        inertias.append(axes @ np.diag(dynamics[2]) @ axes.T)
        positions.append(np.array(at))
        velocities.append(np.concatenate(client.getBaseVelocity(body)))
    contacts = Contacts()
    for row in client.getContactPoints() or ():
        first, second = row[1], row[2]
        # The normal points from the second body to the first; forces act on the first.
        normal, sign, point = np.array(row[7]), 1.0, np.array(row[5])
        if first not in number:
            first, second, sign = second, first, -1.0
        if first not in number:
            continue
        friction = row[10] * np.array(row[11]) + row[12] * np.array(row[13])

        def at_contact(body: int) -> Floats:
            if body not in number:
                return np.zeros(3)
            index = number[body]
            return velocity_at(point, positions[index], velocities[index])

        contacts.add(
            pair=[number[first], number.get(second, -1)],
            point=point,
            normal=sign * normal,
            mu=client.getDynamicsInfo(row[1], row[3])[1] * client.getDynamicsInfo(row[2], row[4])[1],
            force=sign * (row[9] * normal + friction),
            gap=row[8],
            velocity=at_contact(first) - at_contact(second),
        )
    accelerations = None
    if before is not None:
        step = settings["fixedTimeStep"]
        missing = [body for body in moving if body not in before]
        if missing:
            raise InputError(f"before: has no velocity of body {missing[0]}", key="before")
        accelerations = [
            (velocities[number[body]] - np.concatenate([np.asarray(part) for part in before[body]])) / step
            for body in moving
        ]
    weights = [np.concatenate([mass * gravity, np.zeros(3)]) for mass in masses]
    return contacts.audit(
        "a world of PyBullet", masses, accelerations,
        inertias=inertias, positions=positions, wrenches=weights, velocities=velocities,
    )  # fmt: skip


def audit_drake(plant: Any, context: Any) -> Audit:
    """Judges the contact results of a `MultibodyPlant` in its context. Its moving bodies have to be floating; contacts over patches
    (hydroelastic) are refused. Coefficients are Drake's: 2 μ₁ μ₂ / (μ₁ + μ₂)."""
    if not hasattr(plant, "get_contact_results_output_port"):
        raise InputError(f"plant: a {type(plant).__name__} is no MultibodyPlant", key="plant")
    from pydrake.multibody.tree import BodyIndex

    gravity = np.array(plant.gravity_field().gravity_vector())
    results = plant.get_contact_results_output_port().Eval(context)
    if results.num_hydroelastic_contacts():
        raise InputError("plant: contacts over patches (hydroelastic) are not audited", key="plant")
    number: Dict[int, int] = {}
    masses: List[float] = []
    inertias, positions, velocities, accelerations = [], [], [], []
    for index in range(plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        if plant.IsAnchored(body):
            continue
        floats = getattr(body, "is_floating_base_body", None) or body.is_floating
        if not floats():
            raise InputError(f"plant: body {body.name()!r} is not floating", key="plant")
        number[index] = len(masses)
        pose = plant.EvalBodyPoseInWorld(context, body)
        spatial = body.CalcSpatialInertiaInBodyFrame(context)
        arm = pose.rotation().matrix() @ spatial.get_com()
        central = spatial.Shift(spatial.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
        axes = pose.rotation().matrix()
        twist = plant.EvalBodySpatialVelocityInWorld(context, body)
        moves = plant.EvalBodySpatialAccelerationInWorld(context, body)
        spin, turning = np.array(twist.rotational()), np.array(moves.rotational())
        masses.append(spatial.get_mass())
        inertias.append(axes @ central @ axes.T)
        positions.append(np.array(pose.translation()) + arm)
        velocities.append(np.concatenate([twist.translational() + np.cross(spin, arm), spin]))
        centre = moves.translational() + np.cross(turning, arm) + np.cross(spin, np.cross(spin, arm))
        accelerations.append(np.concatenate([centre, turning]))
    contacts = Contacts()
    for index in range(results.num_point_pair_contacts()):
        info = results.point_pair_contact_info(index)
        add_drake(plant, context, info, (number, positions, velocities), contacts)
    weights = [np.concatenate([mass * gravity, np.zeros(3)]) for mass in masses]
    return contacts.audit(
        "a plant of Drake", masses, accelerations,
        inertias=inertias, positions=positions, wrenches=weights, velocities=velocities,
    )  # fmt: skip


def add_drake(plant: Any, context: Any, info: Any, bodies: Any, contacts: Contacts) -> None:
    """Adds a contact, its normal into a body that moves."""
    number, positions, velocities = bodies
    pair = info.point_pair()
    first, second = int(info.bodyA_index()), int(info.bodyB_index())
    # The normal points from the second body to the first; the force acts on the second.
    normal, sign = np.array(pair.nhat_BA_W), 1.0
    if first not in number:
        first, second, sign = second, first, -1.0
    if first not in number:
        return
    point = np.array(info.contact_point())

    def at(body: int) -> Floats:
        if body not in number:
            return np.zeros(3)
        return velocity_at(point, positions[number[body]], velocities[number[body]])

    contacts.add(
        pair=[number[first], number.get(second, -1)],
        point=point,
        normal=sign * normal,
        mu=drake_friction(plant, context, pair),
        force=-sign * np.array(info.contact_force()),
        gap=-pair.depth,
        velocity=at(first) - at(second),
    )


def drake_friction(plant: Any, context: Any, pair: Any) -> float:
    """The coefficient of two geometries."""
    query = plant.get_geometry_query_input_port().Eval(context)
    inspector = query.inspector()
    found = []
    for geometry in (pair.id_A, pair.id_B):
        properties = inspector.GetProximityProperties(geometry)
        found.append(properties.GetProperty("material", "coulomb_friction").dynamic_friction())
    total = found[0] + found[1]
    return float(2 * found[0] * found[1] / total) if total > 0 else 0.0
