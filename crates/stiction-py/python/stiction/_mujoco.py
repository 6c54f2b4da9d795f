"""Worlds from compiled models of MuJoCo.

Bodies that are welded become one, with the frame of their principal axes; geoms become parts of it. What has no
rigid meaning is left out and named.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

import numpy as np

from ._arrays import Floats
from ._errors import InputError
from ._mujoco_joints import Joints
from ._world import World

__all__ = ["from_mujoco"]

#: Sizes of principal moments below which MuJoCo calls a body massless (kg, kg m²).
NOTHING = 1e-15


def from_mujoco(model: Any, data: Any = None, quiet: bool = False) -> World:
    """The world of an `MjModel`, as it is in `data` (at its reference without)."""
    import mujoco

    if not isinstance(model, mujoco.MjModel) or not (data is None or isinstance(data, mujoco.MjData)):
        raise InputError("model: needs an MjModel and, if any, an MjData", key="model")
    now = mujoco.MjData(model)
    if data is not None:
        mujoco.mj_copyData(now, model, data)
    mujoco.mj_forward(model, now)
    reader = Reader(mujoco, model, now)
    world = reader.read()
    world.left_out = reader.left_out()
    if not quiet:
        for line in world.left_out:
            print(f"left out: {line}")
    return world


class Group:
    """Bodies that are welded to each other: one rigid body."""

    def __init__(self, root: int, name: str) -> None:
        self.root, self.name = root, name
        self.bodies: List[int] = []
        self.geoms: List[int] = []
        self.mass = 0.0
        self.centre: Floats = np.zeros(3)
        self.quat: Floats = np.array([1.0, 0, 0, 0])
        self.moments: Floats = np.zeros(3)


class Reader:
    """Reads a model part by part, and keeps what it leaves out."""

    def __init__(self, mujoco: Any, model: Any, data: Any) -> None:
        self.mujoco, self.model, self.data = mujoco, model, data
        gravity = np.zeros(3) if self.disabled("GRAVITY") else np.array(model.opt.gravity)
        self.world = World(gravity=gravity, title="a model of MuJoCo", overlap="allow")
        self.notes: Dict[str, int] = {}
        self.used: Set[str] = set()
        self.groups: Dict[int, Group] = {}
        self.materials: Dict[Tuple[float, bool, int], str] = {}

    def disabled(self, what: str) -> bool:
        """Whether a flag of the model switches something off."""
        return bool(self.model.opt.disableflags & getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{what}"))

    def note(self, words: str, count: int = 1) -> None:
        """Something is left out."""
        if count:
            self.notes[words] = self.notes.get(words, 0) + int(count)

    def left_out(self) -> List[str]:
        """What was left out, a line each."""
        return [words if count == 1 else f"{words} ({count} times)" for words, count in self.notes.items()]

    def name(self, kind: str, index: int) -> str:
        """The name of an object, unique in the world."""
        of = getattr(self.mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        name = self.mujoco.mj_id2name(self.model, of, index) or f"{kind} {index}"
        if name in self.used:
            name = f"{kind} {name}"
        while name in self.used:
            name += "'"
        self.used.add(name)
        return name

    def read(self) -> World:
        self.gather()
        for group in self.groups.values():
            if group.root == 0:
                self.add_static(group)
            else:
                self.add_moving(group)
        self.add_pairs()
        self.keep_apart()
        joints = Joints(self)
        joints.add()
        joints.add_equalities()
        self.note_the_rest()
        self.world.description()
        return self.world

    # Bodies

    def gather(self) -> None:
        """The groups of welded bodies, and the geoms that may touch something."""
        model = self.model
        for body in range(model.nbody):
            root = int(model.body_weldid[body])
            if root not in self.groups:
                self.groups[root] = Group(root, "world" if root == 0 else self.name("body", root))
            self.groups[root].bodies.append(body)
        for geom in range(model.ngeom):
            if model.geom_contype[geom] or model.geom_conaffinity[geom]:
                self.groups[int(model.body_weldid[model.geom_bodyid[geom]])].geoms.append(geom)
        for group in self.groups.values():
            if group.root:
                self.weigh(group)

    def weigh(self, group: Group) -> None:
        """Mass, centre and principal axes of a group."""
        model, data = self.model, self.data
        heavy = [b for b in group.bodies if model.body_mass[b] > NOTHING]
        group.mass = float(sum(model.body_mass[b] for b in heavy))
        if len(heavy) == 1:
            (body,) = heavy
            group.centre, group.moments = np.array(data.xipos[body]), np.array(model.body_inertia[body])
            self.mujoco.mju_mulQuat(group.quat, data.xquat[body], model.body_iquat[body])
            return
        group.centre = sum(model.body_mass[b] * data.xipos[b] for b in heavy) / group.mass
        inertia = np.zeros((3, 3))
        for b in heavy:
            axes, arm = data.ximat[b].reshape(3, 3), data.xipos[b] - group.centre
            inertia += axes @ np.diag(model.body_inertia[b]) @ axes.T
            inertia += model.body_mass[b] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        group.moments, principal = np.linalg.eigh(inertia)
        principal = np.ascontiguousarray(principal * np.sign(np.linalg.det(principal)))
        self.mujoco.mju_mat2Quat(group.quat, principal.ravel())

    def add_moving(self, group: Group) -> None:
        model, data = self.model, self.data
        twist = np.zeros(6)
        self.mujoco.mj_objectVelocity(model, data, self.mujoco.mjtObj.mjOBJ_BODY, group.root, twist, 0)
        spin, linear = twist[:3], twist[3:]
        keys: Dict[str, Any] = {
            "at": group.centre,
            "turn_deg": axis_angle(group.quat),
            "mass": group.mass,
            "inertia": group.moments,
            "centre": [0.0, 0.0, 0.0],
            "velocity": linear + np.cross(spin, group.centre - data.xipos[group.root]),
            "angular_velocity": spin,
        }
        self.add_loads(group, keys)
        parts = [part for geom in group.geoms for part in self.part(geom, group)]
        if parts:
            keys.update(parts=parts, material=self.material(group.geoms, group.name))
        self.world.add_body(group.name, **keys)

    def add_loads(self, group: Group, keys: Dict[str, Any]) -> None:
        """Compensated gravity, and the loads that `data` has."""
        model, data = self.model, self.data
        force, torque = np.zeros(3), np.zeros(3)
        for body in group.bodies:
            lifted = -model.body_gravcomp[body] * model.body_mass[body] * np.array(model.opt.gravity)
            if self.disabled("GRAVITY"):
                lifted = np.zeros(3)
            applied = data.xfrc_applied[body]
            acts = lifted + applied[:3]
            force += acts
            torque += applied[3:] + np.cross(data.xipos[body] - group.centre, acts)
        if force.any() or torque.any():
            keys.update(force=force, torque=torque)

    def add_static(self, group: Group) -> None:
        """What is welded to the world: planes one by one, the rest body by body."""
        plane, field = int(self.mujoco.mjtGeom.mjGEOM_PLANE), int(self.mujoco.mjtGeom.mjGEOM_HFIELD)
        for geom in group.geoms:
            kind = int(self.model.geom_type[geom])
            if kind in (plane, field):
                pose = self.pose(geom)
                shape = {"ground": True} if kind == plane else self.heights(geom, pose)
                name, material = self.name("geom", geom), self.material([geom], "")
                self.world.add_body(name, **shape, fixed=True, material=material, **pose)
        for body in group.bodies:
            own = [g for g in group.geoms if self.model.geom_bodyid[g] == body]
            own = [g for g in own if int(self.model.geom_type[g]) not in (plane, field)]
            parts = [part for geom in own for part in self.part(geom, group)]
            if parts:
                name = self.name("body", body)
                self.world.add_body(name, parts=parts, fixed=True, material=self.material(own, name))

    # Shapes

    def pose(self, geom: int, group: Optional[Group] = None) -> Dict[str, Any]:
        """The pose of a geom in the frame of a group, or in the world."""
        at, quat = np.array(self.data.geom_xpos[geom]), np.zeros(4)
        self.mujoco.mju_mat2Quat(quat, self.data.geom_xmat[geom])
        if group is not None:
            back, relative, moved = np.zeros(4), np.zeros(4), np.zeros(3)
            self.mujoco.mju_negQuat(back, group.quat)
            self.mujoco.mju_mulQuat(relative, back, quat)
            self.mujoco.mju_rotVecQuat(moved, at - group.centre, back)
            at, quat = moved, relative
        return {"at": at.tolist(), "turn_deg": axis_angle(quat)}

    def part(self, geom: int, group: Group) -> List[Dict[str, Any]]:
        """A geom as a part of a body; none if we have no such shape."""
        kinds, size = self.mujoco.mjtGeom, self.model.geom_size[geom].tolist()
        kind = kinds(int(self.model.geom_type[geom]))
        round_ = {"length": 2 * size[1], "radius": size[0]}
        shape: Dict[str, Any]
        if kind == kinds.mjGEOM_SPHERE:
            shape = {"ball": size[0]}
        elif kind == kinds.mjGEOM_CAPSULE:
            shape = {"capsule": round_}
        elif kind == kinds.mjGEOM_CYLINDER:
            shape = {"cylinder": round_}
        elif kind == kinds.mjGEOM_BOX:
            shape = {"box": [2 * edge for edge in size]}
        elif kind == kinds.mjGEOM_MESH:
            shape = {"points": self.hull(int(self.model.geom_dataid[geom]))}
        else:
            self.note(f"a geom of the type {kind.name[7:].lower()}")
            return []
        return [{**shape, **self.pose(geom, group)}]

    def hull(self, mesh: int) -> List[List[float]]:
        """The vertices of the convex hull of a mesh; all of them where MuJoCo has not computed it."""
        model = self.model
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        points = np.array(model.mesh_vert[first : first + count], dtype=np.float64)
        graph = model.mesh_graphadr[mesh]
        if graph >= 0:
            corners = model.mesh_graph[graph]
            # numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert], …
            start = graph + 2 + corners
            points = points[model.mesh_graph[start : start + corners]]
        found: List[List[float]] = points.tolist()
        return found

    def heights(self, geom: int, pose: Dict[str, Any]) -> Dict[str, Any]:
        """A height field, whose first corner is our origin and whose middle is MuJoCo's; its base is left out."""
        model, field = self.model, int(self.model.geom_dataid[geom])
        rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
        x, y, top, _ = model.hfield_size[field]
        start = model.hfield_adr[field]
        given = np.array(model.hfield_data[start : start + rows * columns], dtype=np.float64)
        axes = self.data.geom_xmat[geom].reshape(3, 3)
        pose["at"] = (self.data.geom_xpos[geom] - axes @ [x, y, 0]).tolist()
        spacing = [2 * x / (columns - 1), 2 * y / (rows - 1)]
        self.note("the base of a height field")
        return {"heights": {"spacing": spacing, "rows": (top * given.reshape(rows, columns)).tolist()}}

    # Friction and what touches

    def material(self, geoms: Iterable[int], name: str) -> str:
        """A material for the friction of these geoms."""
        model = self.model
        found = {
            (float(model.geom_friction[g, 0]), bool(model.geom_condim[g] > 1), int(model.geom_priority[g]))
            for g in geoms
        }
        if len(found) > 1:
            self.note(f"friction that differs between geoms of {name!r}: the largest counts")
        key = max(found, key=lambda it: (it[2], it[1], it[0]))
        if key not in self.materials:
            self.materials[key] = f"friction {key[0]:g}, {'rough' if key[1] else 'smooth'}, priority {key[2]}"
            if self.materials[key] in list(self.materials.values())[:-1]:
                self.materials[key] += f" ({len(self.materials)})"
            self.world.add_material(self.materials[key], friction=key[0])
        return self.materials[key]

    def add_pairs(self) -> None:
        """MuJoCo takes the larger coefficient, and none where both are smooth."""
        known = list(self.materials.items())
        for index, (first, name) in enumerate(known):
            for second, other in known[index:]:
                strong = max(first[2], second[2])
                counts = [it for it in (first, second) if it[2] == strong]
                rough = any(it[1] for it in counts)
                friction = max(it[0] for it in counts) if rough else 0.0
                self.world.set_pair(name, other, friction=friction)

    def keep_apart(self) -> None:
        """Pairs of bodies whose contacts MuJoCo does not look for."""
        bodies = [group for group in self.groups.values() if group.root and group.geoms]
        apart = [
            [one.name, two.name]
            for k, one in enumerate(bodies)
            for two in bodies[k + 1 :]
            if not self.touch(one, two)
        ]
        static = self.groups[0]
        fixed = [body["name"] for body in self.world._entries["body"] if body.get("fixed")]
        for group in bodies:
            if static.geoms and not self.touch(group, static):
                apart += [[group.name, name] for name in fixed]
        if apart:
            self.world._top["apart"] = apart
        self.note("a contact pair of its own", self.model.npair)

    def touch(self, one: Group, two: Group) -> bool:
        """Whether MuJoCo looks for contacts of two groups."""
        if self.disabled("CONTACT"):
            return False
        model = self.model
        signatures = {int(s) for s in model.exclude_signature}
        if any((min(a, b) << 16) + max(a, b) in signatures for a in one.bodies for b in two.bodies):
            return False
        parents = [int(model.body_weldid[model.body_parentid[it.root]]) for it in (one, two)]
        joined = parents[0] == two.root or parents[1] == one.root
        if joined and one.root and two.root and not self.disabled("FILTERPARENT"):
            return False
        bits = [
            {(int(model.geom_contype[g]), int(model.geom_conaffinity[g])) for g in it.geoms} for it in (one, two)
        ]
        meets = {bool(a[0] & b[1] or b[0] & a[1]) for a in bits[0] for b in bits[1]}
        if len(meets) > 1:
            self.note(f"contact groups of single geoms of {one.name!r} and {two.name!r}: all of them touch")
        return True in meets

    # The rest

    def note_the_rest(self) -> None:
        """What a rigid world has no place for."""
        model = self.model
        if any(group.geoms for group in self.groups.values()):
            self.note("softness of contacts (solref, solimp, margin, gap): contacts are rigid and do not bounce")
        touching = [geom for group in self.groups.values() for geom in group.geoms]
        self.note("torsional and rolling friction of a geom (condim 4, 6)", sum(model.geom_condim[g] > 3 for g in touching))
        self.note("a tendon", model.ntendon)
        self.note("a flexible body", getattr(model, "nflex", 0))
        self.note("a plugin", model.nplugin)
        fluid = model.opt.density or model.opt.viscosity or np.any(model.opt.wind)
        self.note("the fluid (density, viscosity, wind)", int(bool(fluid)))


def axis_angle(quat: Floats) -> Dict[str, Any]:
    """A quaternion as axis and angle in degrees."""
    size = float(np.linalg.norm(quat[1:]))
    axis = (quat[1:] / size).tolist() if size > 0 else [0.0, 0.0, 1.0]
    return {"axis": axis, "angle": float(np.degrees(2 * np.arctan2(size, quat[0])))}
