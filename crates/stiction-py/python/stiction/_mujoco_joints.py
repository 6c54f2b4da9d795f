"""Joints, actuators and equalities of MuJoCo's models.

A body with one joint has that joint. Several joints of a body are one joint of ours, or points that stay in planes:

    hinge, hinge at one point, perpendicular    universal
    three hinges at one point                   ball
    slides across a hinge                       three points in the plane across the hinge; with one slide a fourth
    slide along a hinge                         two points on the axis, in two planes each
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

import numpy as np

from ._arrays import Floats
from ._errors import InputError

if TYPE_CHECKING:
    from ._mujoco import Group, Reader

#: Anchors nearer than this are one (m); directions are parallel or perpendicular within it.
NEAR = 1e-9


class Joints:
    """Adds the joints of a model to a world."""

    def __init__(self, reader: "Reader") -> None:
        self.reader, self.mujoco = reader, reader.mujoco
        self.model, self.data, self.world = reader.model, reader.data, reader.world

    def add(self) -> None:
        model = self.model
        for group in self.reader.groups.values():
            if group.root == 0:
                continue
            first, count = model.body_jntadr[group.root], model.body_jntnum[group.root]
            joints = list(range(first, first + count))
            if count == 1 and self.is_a(joints[0], "FREE"):
                self.passive(joints[0])
                continue
            parent = self.reader.groups[int(model.body_weldid[model.body_parentid[group.root]])]
            if count == 1:
                self.add_one(group, parent, joints[0])
            else:
                self.add_several(group, parent, joints)
        for actuator in range(model.nu):
            if self.joint_of(actuator) is None:
                self.reader.note("an actuator that does not drive a joint")
        armature = getattr(model, "actuator_armature", np.zeros(0))
        self.reader.note("rotor inertia of an actuator (armature)", int(np.count_nonzero(armature)))

    def is_a(self, joint: int, kind: str) -> bool:
        return int(self.model.jnt_type[joint]) == int(getattr(self.mujoco.mjtJoint, f"mjJNT_{kind}"))

    def keys(self, group: "Group", parent: "Group", at: Floats) -> Dict[str, Any]:
        """What every joint has."""
        keys: Dict[str, Any] = {"a": group.name, "anchor": at.tolist()}
        if parent.root:
            keys["b"] = parent.name
            keys["collide"] = self.reader.touch(group, parent)
        return keys

    def add_one(self, group: "Group", parent: "Group", joint: int) -> None:
        """A ball, a hinge or a slider."""
        model, data = self.model, self.data
        keys = self.keys(group, parent, data.xanchor[joint])
        name = self.reader.name("joint", joint)
        self.passive(joint)
        if self.is_a(joint, "BALL"):
            self.note_lost(joint, limits=True)
            self.world.add_joint(name, "ball", **keys)
            return
        keys["axis"] = data.xaxis[joint].tolist()
        if model.jnt_limited[joint] and not self.reader.disabled("LIMIT"):
            present = float(data.qpos[model.jnt_qposadr[joint]])
            low, high = (float(end) - present for end in model.jnt_range[joint])
            if low <= 0 <= high:
                keys["limits"] = [low, high]
            else:
                self.reader.note(f"limits of joint {name!r}, which it is beyond at the start")
        loss = float(model.dof_frictionloss[model.jnt_dofadr[joint]])
        if loss and not self.reader.disabled("FRICTIONLOSS"):
            keys["friction"] = loss
        motor = self.motor(joint, name)
        if motor is not None:
            keys["motor"] = motor
        self.world.add_joint(name, "hinge" if self.is_a(joint, "HINGE") else "slider", **keys)

    def add_several(self, group: "Group", parent: "Group", joints: List[int]) -> None:
        """Several joints of a body as one, or as points in planes."""
        for joint in joints:
            self.passive(joint)
            self.note_lost(joint, limits=True)
        name = self.reader.name("joint", joints[0])
        hinges = [j for j in joints if self.is_a(j, "HINGE")]
        slides = [j for j in joints if self.is_a(j, "SLIDE")]
        anchors, axes = self.data.xanchor, self.data.xaxis
        if len(hinges) + len(slides) == len(joints):
            together = all(np.linalg.norm(anchors[j] - anchors[hinges[0]]) < NEAR for j in hinges)
            if not slides and together and len(hinges) in (2, 3):
                if self.add_hinges(name, self.keys(group, parent, anchors[hinges[0]]), hinges):
                    return
            if len(hinges) == 1 and self.add_planes(name, group, parent, hinges[0], slides):
                return
        kinds = ", ".join("hinge" if j in hinges else "slide" if j in slides else "ball" for j in joints)
        where = f"body {group.name!r}: its joints ({kinds}) have no counterpart here"
        raise InputError(f"model: {where}: {[axes[j].round(3).tolist() for j in joints]}", key="model")

    def add_hinges(self, name: str, keys: Dict[str, Any], hinges: List[int]) -> bool:
        """Hinges at one point."""
        axes = self.data.xaxis[hinges]
        if len(hinges) == 3 and abs(np.linalg.det(axes)) > NEAR:
            self.world.add_joint(name, "ball", **keys)
            return True
        if len(hinges) == 2 and abs(axes[0] @ axes[1]) < NEAR:
            # The last joint is fixed to the body, the first one to its parent.
            self.world.add_joint(name, "universal", axis=axes[1].tolist(), axis_b=axes[0].tolist(), **keys)
            return True
        return False

    def add_planes(self, name: str, group: "Group", parent: "Group", hinge: int, slides: List[int]) -> bool:
        """A hinge whose point slides."""
        anchor, axis = self.data.xanchor[hinge], self.data.xaxis[hinge]
        along = self.data.xaxis[slides]
        reach = float(np.sqrt(group.moments.max() / group.mass))
        first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        first /= np.linalg.norm(first)
        second = np.cross(axis, first)
        points: List[Floats] = [anchor + reach * first, anchor - reach * first, anchor + reach * second]
        planes = [(point, axis) for point in points]
        if np.all(np.abs(along @ axis) < NEAR) and len(slides) <= 2:
            if len(slides) == 1:
                planes.append((anchor, np.cross(axis, along[0])))
            elif abs(np.cross(along[0], along[1]) @ axis) < NEAR:
                return False
        elif len(slides) == 1 and np.linalg.norm(np.cross(along[0], axis)) < NEAR:
            ends = (anchor - reach * axis, anchor + reach * axis)
            planes = [(point, normal) for point in ends for normal in (first, second)]
        else:
            return False
        for index, (point, normal) in enumerate(planes):
            keys = self.keys(group, parent, point)
            self.world.add_joint(f"{name}.{index}", "point-on-plane", axis=normal.tolist(), **keys)
        return True

    # What joints lose

    def passive(self, joint: int) -> None:
        """Rotor inertia, damping and springs have no rigid meaning."""
        model, start = self.model, self.model.jnt_dofadr[joint]
        end = start + (6 if self.is_a(joint, "FREE") else 3 if self.is_a(joint, "BALL") else 1)
        note = self.reader.note
        note("rotor inertia of a joint (armature)", int(np.any(model.dof_armature[start:end])))
        damped = np.any(model.dof_damping[start:end]) and not self.reader.disabled("DAMPER")
        note("damping of a joint", int(damped))
        note("the spring of a joint", int(np.any(model.jnt_stiffness[joint])))
        free_or_ball = self.is_a(joint, "FREE") or self.is_a(joint, "BALL")
        note("dry friction of a joint", int(free_or_ball and np.any(model.dof_frictionloss[start:end])))

    def note_lost(self, joint: int, limits: bool) -> None:
        """What a joint loses that becomes a part of another."""
        model = self.model
        self.reader.note("limits of a ball or of joints that are one here", int(limits and model.jnt_limited[joint]))
        for actuator in range(model.nu):
            if self.joint_of(actuator) == joint:
                self.reader.note("an actuator of a ball or of joints that are one here")

    # Actuators

    def joint_of(self, actuator: int) -> Optional[int]:
        """The joint that an actuator drives."""
        kinds = (self.mujoco.mjtTrn.mjTRN_JOINT, self.mujoco.mjtTrn.mjTRN_JOINTINPARENT)
        if int(self.model.actuator_trntype[actuator]) not in map(int, kinds):
            return None
        return int(self.model.actuator_trnid[actuator, 0])

    def motor(self, joint: int, name: str) -> Optional[Dict[str, Any]]:
        """The motor of a joint, from its actuators and what `data` sets them to."""
        if self.reader.disabled("ACTUATION"):
            return None
        found = [self.servo(a, joint) for a in range(self.model.nu) if self.joint_of(a) == joint]
        motors = [motor for motor in found if motor is not None]
        if len(motors) < len(found):
            self.reader.note(f"an actuator of joint {name!r} that is no force, speed or hold", len(found) - len(motors))
        if motors and all("force" in motor for motor in motors):
            total = sum(motor["force"] for motor in motors)
            return {"force": total} if total else None
        if len(motors) > 1:
            self.reader.note(f"all but the first actuator of joint {name!r}", len(motors) - 1)
        return motors[0] if motors else None

    def servo(self, actuator: int, joint: int) -> Optional[Dict[str, Any]]:
        """An actuator as a motor: a force, a speed, or a hold where it is."""
        model, data, kinds = self.model, self.data, self.mujoco
        gain, bias = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
        gear, control = float(model.actuator_gear[actuator, 0]), float(data.ctrl[actuator])
        if model.actuator_ctrllimited[actuator]:
            control = float(np.clip(control, *model.actuator_ctrlrange[actuator]))
        plain = int(model.actuator_dyntype[actuator]) == int(kinds.mjtDyn.mjDYN_NONE)
        fixed = int(model.actuator_gaintype[actuator]) == int(kinds.mjtGain.mjGAIN_FIXED)
        if not plain or not fixed or gear == 0:
            return None
        most = float("inf")
        if model.actuator_forcelimited[actuator]:
            most = float(np.abs(model.actuator_forcerange[actuator]).max())
        limit = {} if np.isinf(most) else {"greatest": abs(gear) * most}
        biased = kinds.mjtBias(int(model.actuator_biastype[actuator]))
        if biased == kinds.mjtBias.mjBIAS_NONE:
            return {"force": gear * float(np.clip(gain[0] * control, -most, most))}
        if biased != kinds.mjtBias.mjBIAS_AFFINE or bias[0]:
            return None
        if bias[1] == 0 and bias[2] == -gain[0]:
            self.reader.note("the finite gain of a speed servo: the speed is met as far as its force allows")
            return {"speed": control / gear, **limit}
        present = float(data.qpos[model.jnt_qposadr[joint]]) * gear
        if bias[1] == -gain[0] and abs(control - present) < NEAR:
            self.reader.note("the finite gain of a position servo: it holds as far as its force allows")
            return {"speed": 0.0, **limit}
        return None

    # Equalities

    def add_equalities(self) -> None:
        """Connections and welds of bodies that hold at the start."""
        model, kinds = self.model, self.mujoco.mjtEq
        for index in range(model.neq):
            if not self.data.eq_active[index] or self.reader.disabled("EQUALITY"):
                continue
            kind = kinds(int(model.eq_type[index]))
            of_bodies = int(model.eq_objtype[index]) == int(self.mujoco.mjtObj.mjOBJ_BODY)
            if kind not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) or not of_bodies:
                self.reader.note(f"an equality of the type {kind.name[5:].lower()}")
                continue
            self.add_equality(index, "ball" if kind == kinds.mjEQ_CONNECT else "fixed")

    def add_equality(self, index: int, kind: str) -> None:
        model, data = self.model, self.data
        bodies = [int(model.eq_obj1id[index]), int(model.eq_obj2id[index])]
        groups = [self.reader.groups[int(model.body_weldid[body])] for body in bodies]
        row = model.eq_data[index]
        # Anchors in both bodies: of a connection the first comes first, of a weld the second.
        local = [row[0:3], row[3:6]] if kind == "ball" else [row[3:6], row[0:3]]
        ends = [data.xpos[b] + data.xmat[b].reshape(3, 3) @ at for b, at in zip(bodies, local)]
        apart = float(np.linalg.norm(ends[0] - ends[1]))
        if kind == "fixed":
            turned, relative = np.zeros(4), row[6:10]
            self.mujoco.mju_mulQuat(turned, data.xquat[bodies[0]], relative)
            apart = max(apart, 1 - abs(float(turned @ data.xquat[bodies[1]])))
        if apart > NEAR:
            self.reader.note(f"an equality that does not hold at the start ({kind}, off by {apart:.2g})")
            return
        if groups[0] is groups[1]:
            return
        if groups[0].root == 0:
            groups.reverse()
        keys = self.keys(groups[0], groups[1], ends[0])
        self.world.add_joint(self.reader.name("equality", index), kind, **keys)
