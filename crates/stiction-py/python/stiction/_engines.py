"""Forces of other engines, judged."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from ._arrays import Floats
from ._audit import Audit, audit
from ._errors import InputError
from ._problem import Problem

__all__ = ["audit_mujoco"]


def audit_mujoco(model: Any, data: Any) -> Audit:
    """Judges the contact forces of a MuJoCo model whose moving bodies have free joints; `mj_forward` brings forces and
    accelerations of `data` up to date first.

    Torques of contacts with `condim` above 3 count as loads on the bodies. Models with other joints, welded children,
    equality constraints and coefficients that depend on the direction are refused."""
    import mujoco

    if not isinstance(model, mujoco.MjModel) or not isinstance(data, mujoco.MjData):
        raise InputError("model: needs an MjModel and its MjData", key="model")
    mujoco.mj_forward(model, data)
    number = numbers(mujoco, model)
    moving = [body for body in range(model.nbody) if number[body] >= 0]
    velocity = np.zeros((model.nbody, 6))
    for body in moving:
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, velocity[body], 0)
    velocity = np.roll(velocity, 3, axis=1)
    load = np.zeros((model.nbody, 6))
    load[:, :3] = np.outer(model.body_mass, model.opt.gravity)
    load += data.xfrc_applied
    contacts = Contacts()
    for index in range(data.ncon):
        add_contact(mujoco, model, data, index, (number, velocity, load), contacts)
    inertias, accelerations = [], []
    for body in moving:
        turn = data.ximat[body].reshape(3, 3)
        inertias.append(turn @ np.diag(model.body_inertia[body]) @ turn.T)
        accelerations.append(acceleration(model, data, body, velocity[body]))
    return contacts.audit(
        "a model of MuJoCo",
        masses=model.body_mass[moving],
        inertias=inertias,
        positions=data.xipos[moving],
        wrenches=load[moving],
        velocities=velocity[moving],
        accelerations=accelerations,
    )


class Contacts:
    """Contacts of an engine as they are found: the normal points into the first body, and the force acts on it."""

    def __init__(self) -> None:
        keys = ("pair", "point", "normal", "mu", "force", "gap", "velocity")
        self.rows: Dict[str, List[Any]] = {key: [] for key in keys}

    def add(self, **row: Any) -> None:
        """Adds a contact; −1 of the pair is the world."""
        normal = np.array(row["normal"], dtype=np.float64)
        row["normal"] = normal / np.linalg.norm(normal)
        for key, value in row.items():
            self.rows[key].append(value)

    def audit(self, name: str, masses: Any, accelerations: Any = None, **bodies: Any) -> Audit:
        """Judges the forces."""
        rows, count, n = self.rows, len(self.rows["mu"]), len(masses)
        problem = Problem(
            masses=masses,
            inertias=np.reshape(bodies["inertias"], (n, 3, 3)),
            positions=np.reshape(bodies["positions"], (n, 3)),
            wrenches=np.reshape(bodies["wrenches"], (n, 6)),
            velocities=np.reshape(bodies["velocities"], (n, 6)),
            pairs=np.reshape(rows["pair"], (count, 2)),
            points=np.reshape(rows["point"], (count, 3)),
            normals=np.reshape(rows["normal"], (count, 3)),
            friction=np.reshape(rows["mu"], count),
            name=name,
        )
        known = None if accelerations is None else np.reshape(accelerations, (n, 6))
        return audit(
            problem,
            np.reshape(rows["force"], (count, 3)),
            gaps=np.reshape(rows["gap"], count),
            velocities=np.reshape(rows["velocity"], (count, 3)),
            accelerations=known,
        )


def velocity_at(point: Floats, centre: Floats, velocity: Floats) -> Floats:
    """The velocity of a point of a body."""
    moves: Floats = velocity[:3] + np.cross(velocity[3:], np.asarray(point) - centre)
    return moves


def numbers(mujoco: Any, model: Any) -> List[int]:
    """The number of every body that moves, −1 of those that do not."""
    found: List[int] = []
    for body in range(model.nbody):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body) or f"number {body}"
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        free = count == 1 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_FREE
        if count and not free:
            raise InputError(f"model: body {name!r} has a joint that is not free", key="model")
        if not count and found and found[model.body_parentid[body]] >= 0:
            raise InputError(f"model: body {name!r} is welded to one that moves", key="model")
        found.append(max(found, default=-1) + 1 if free else -1)
    if model.neq:
        raise InputError("model: equality constraints are not audited", key="model")
    return found


def add_contact(
    mujoco: Any, model: Any, data: Any, index: int, bodies: Any, contacts: "Contacts"
) -> None:
    """Adds a contact, its normal into a body that moves."""
    number, velocity, load = bodies
    contact = data.contact[index]
    force = np.zeros(6)
    mujoco.mj_contactForce(model, data, index, force)
    # The rows of the frame: the normal, from the first geometry to the second, and two tangents.
    frame = np.array(contact.frame).reshape(3, 3)
    on_second, torque = frame.T @ force[:3], frame.T @ force[3:]
    first, second = (int(model.geom_bodyid[geom]) for geom in (contact.geom1, contact.geom2))
    normal, a, b = frame[0], second, first
    if number[a] < 0:
        normal, on_second, torque, a, b = -normal, -on_second, -torque, first, second
    if number[a] < 0:
        return
    mu = float(contact.friction[0]) if contact.dim > 1 else 0.0
    if contact.dim > 1 and contact.friction[1] != contact.friction[0]:
        raise InputError(f"model: contact {index} has friction that depends on the direction", key="model")
    load[a, 3:] += torque
    load[b, 3:] -= torque

    def at(body: int) -> Floats:
        if number[body] < 0:
            return np.zeros(3)
        return velocity_at(np.array(contact.pos), data.xipos[body], velocity[body])

    contacts.add(
        pair=[number[a], number[b]],
        point=np.array(contact.pos),
        normal=normal,
        mu=mu,
        force=on_second,
        gap=float(contact.dist),
        velocity=at(a) - at(b),
    )


def acceleration(model: Any, data: Any, body: int, velocity: Floats) -> Floats:
    """Acceleration of the centre of mass, and angular acceleration: MuJoCo has the first of the body's
    frame, and the second in its axes."""
    start = model.body_dofadr[body]
    given = data.qacc[start : start + 6]
    angular = data.xmat[body].reshape(3, 3) @ given[3:]
    arm, spin = data.xipos[body] - data.xpos[body], velocity[3:]
    linear = given[:3] + np.cross(angular, arm) + np.cross(spin, np.cross(spin, arm))
    return np.concatenate([linear, angular])
