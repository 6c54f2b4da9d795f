"""Worlds: bodies, joints, springs and materials."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

from numpy.typing import ArrayLike

from . import _core, _toml
from ._arrays import given, number, vector
from ._errors import InputError

__all__ = ["World"]

#: A number, or a function of time as in scenes: `{"sine": {...}}`.
Drive = Union[float, Dict[str, Any]]

KINDS = ("material", "pair", "body", "joint", "spring")


class World:
    """Bodies and what acts on them. What is added has the meaning that scenes give to the same words
    (`docs/scene.md`): SI units, z up, quaternions w x y z."""

    def __init__(
        self,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        title: str = "",
        planar: Optional[str] = None,
        overlap: str = "refuse",
    ) -> None:
        self._top: Dict[str, Any] = {"title": title, "gravity": vector("gravity", gravity)}
        if planar is not None:
            self._top["planar"] = planar
        if overlap != "refuse":
            self._top["overlap"] = overlap
        self._entries: Dict[str, List[Dict[str, Any]]] = {kind: [] for kind in KINDS}
        self._base: Optional[str] = None
        self._name = "world"
        self._folder: Optional[str] = None
        self._anywhere = False
        #: What an import left out.
        self.left_out: List[str] = []

    @classmethod
    def read(cls, path: "Union[str, os.PathLike[str]]", files_anywhere: bool = False) -> "World":
        """Reads a scene (TOML), whose meshes are sought below its folder, or anywhere; or a model of MuJoCo or URDF (.xml, .urdf), where the
        package mujoco is installed."""
        file = Path(path)
        if file.suffix in (".xml", ".urdf"):
            return cls._read_model(file)
        if file.suffix != ".toml":
            words = "worlds are read from scenes (.toml) and models (.xml, .urdf)"
            raise InputError(f"{file}: {words}", str(file))
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{file}: {error}", str(file)) from None
        return cls.parse(text, str(path), file.resolve().parent, files_anywhere)

    @classmethod
    def _read_model(cls, file: Path) -> "World":
        try:
            import mujoco
        except ImportError:
            raise InputError(f"{file}: models are read by the package mujoco, which is not installed", str(file)) from None
        try:
            return cls.from_mujoco(mujoco.MjModel.from_xml_path(str(file)))
        except (ValueError, OSError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{file}: {error}", str(file)) from None

    @classmethod
    def parse(
        cls,
        text: str,
        name: str = "world",
        folder: "Optional[Union[str, os.PathLike[str]]]" = None,
        files_anywhere: bool = False,
    ) -> "World":
        """A scene as text; errors call it by its name."""
        for key, value in (("text", text), ("name", name)):
            if not isinstance(value, str):
                raise InputError(f"{key}: a {type(value).__name__} is no text", key=key)
        world = cls()
        world._base, world._name, world._anywhere = text, name, files_anywhere
        world._folder = None if folder is None else os.fspath(folder)
        world.description()
        return world

    @classmethod
    def from_mujoco(cls, model: Any, data: Any = None, quiet: bool = False) -> "World":
        """The world of a compiled model of MuJoCo, as it is in `data`: bodies with masses and inertias, geoms (meshes as their hulls), joints
        with limits and dry friction, actuators as motors, contacts that are excluded, friction. What is left out is printed, and kept in
        `left_out`."""
        from ._mujoco import from_mujoco

        return from_mujoco(model, data, quiet)

    # What is added

    def add_body(self, name: str, **keys: Any) -> str:
        """Adds a body with the keys of scenes, and returns its name."""
        return self._add("body", {"name": name, **keys})

    def add_ground(
        self,
        name: str = "ground",
        friction: Optional[float] = None,
        restitution: Optional[float] = None,
    ) -> str:
        """Adds everything below z = 0. Friction and restitution are those of its contacts with bodies
        that have none of their own."""
        return self._shape(name, {"ground": True}, friction=friction, restitution=restitution)

    def add_box(self, name: str, size: ArrayLike, **keys: Any) -> str:
        """Adds a box with these edge lengths (m). Further keys: `mass` or `density`, `position`,
        `orientation` (w x y z), `velocity`, `angular_velocity`, `friction`, `restitution`, `fixed`, and all of scenes."""
        return self._shape(name, {"box": vector("size", size)}, **keys)

    def add_ball(self, name: str, radius: float, **keys: Any) -> str:
        """Adds a ball."""
        return self._shape(name, {"ball": number("radius", radius)}, **keys)

    def add_capsule(self, name: str, length: float, radius: float, **keys: Any) -> str:
        """Adds a capsule along z; `length` is that of its straight part."""
        return self._round(name, "capsule", length, radius, keys)

    def add_cylinder(self, name: str, length: float, radius: float, **keys: Any) -> str:
        """Adds a cylinder along z."""
        return self._round(name, "cylinder", length, radius, keys)

    def add_cone(self, name: str, length: float, radius: float, **keys: Any) -> str:
        """Adds a cone along z, tip up."""
        return self._round(name, "cone", length, radius, keys)

    def add_hull(self, name: str, points: ArrayLike, **keys: Any) -> str:
        """Adds the convex hull of points (n × 3)."""
        return self._shape(name, {"points": given("points", points, None, 3).tolist()}, **keys)

    def add_joint(self, name: str, type: str, a: str, b: Optional[str] = None, **keys: Any) -> str:
        """Adds a joint with the keys of scenes (`anchor`, `axis`, `limits`, `motor`, …); without `b` it holds
        on to the world."""
        bodies = {"a": a} if b is None else {"a": a, "b": b}
        return self._add("joint", {"name": name, "type": type, **bodies, **keys})

    def add_spring(self, name: str, a: str, b: Optional[str] = None, **keys: Any) -> str:
        """Adds a spring with the keys of scenes (`anchor`, `anchor_b`, `stiffness`, `damping`, `length`)."""
        bodies = {"a": a} if b is None else {"a": a, "b": b}
        return self._add("spring", {"name": name, **bodies, **keys})

    def add_material(self, name: str, **keys: Any) -> str:
        """Adds a material: `friction`, or `static_friction` and `dynamic_friction`; `restitution`. The one called
        "default" is that of bodies without a material."""
        return self._add("material", {"name": name, **keys})

    def set_pair(self, first: str, second: str, **keys: Any) -> None:
        """Coefficients where two materials touch."""
        self._append("pair", {"materials": [first, second], **keys})

    def _round(self, name: str, kind: str, length: float, radius: float, keys: Dict[str, Any]) -> str:
        size = {"length": number("length", length), "radius": number("radius", radius)}
        return self._shape(name, {kind: size}, **keys)

    def _shape(
        self,
        name: str,
        shape: Dict[str, Any],
        position: Optional[ArrayLike] = None,
        orientation: Optional[ArrayLike] = None,
        friction: Optional[float] = None,
        restitution: Optional[float] = None,
        **keys: Any,
    ) -> str:
        body: Dict[str, Any] = {"name": name, **shape}
        if position is not None:
            body["at"] = vector("position", position)
        if orientation is not None:
            body["turn_deg"] = turn(orientation)
        if friction is not None or restitution is not None:
            body["material"] = self._material(name, friction, restitution)
        for key in ("velocity", "angular_velocity", "force", "torque"):
            if key in keys:
                keys[key] = vector(key, keys[key])
        return self._add("body", {**body, **keys})

    def _material(self, body: str, friction: Optional[float], restitution: Optional[float]) -> str:
        """A material of its own for a body. Where only one of two bodies has one, the pair takes its
        coefficients."""
        keys: Dict[str, Any] = {}
        if friction is not None:
            keys["friction"] = number("friction", friction)
        if restitution is not None:
            keys["restitution"] = number("restitution", restitution)
        name = f"of {body}"
        self._append("material", {"name": name, **keys})
        self._append("pair", {"materials": [name, "default"], **keys})
        return name

    def _add(self, kind: str, entry: Dict[str, Any]) -> str:
        self._append(kind, entry)
        name: str = entry["name"]
        return name

    def _append(self, kind: str, entry: Dict[str, Any]) -> None:
        if "name" in entry and not isinstance(entry["name"], str):
            raise InputError(f"name: {entry['name']!r} is no text", key="name")
        if "name" in entry and any(known.get("name") == entry["name"] for known in self._entries[kind]):
            raise InputError(f"{kind}: {entry['name']!r} exists already", key="name")
        _toml.tables(kind, [entry])
        self._entries[kind].append(copy.deepcopy(entry))

    # What it is

    def to_toml(self) -> str:
        """The scene as text, which `stiction run` and `World.parse` read."""
        if self._base is None:
            top = "\n".join(f"{key} = {_toml.value(key, given)}" for key, given in self._top.items())
        else:
            top = self._base.rstrip("\n")
        added = [_toml.tables(kind, self._entries[kind]) for kind in KINDS if self._entries[kind]]
        return "\n\n".join([top, *added]) + "\n"

    def description(self) -> Dict[str, Any]:
        """The bodies, joints and springs with masses, inertias and places, checked."""
        described: Dict[str, Any] = json.loads(_core.describe(self.to_toml(), self._settings()))
        return described

    @property
    def bodies(self) -> List[str]:
        """The names of the bodies."""
        return [body["name"] for body in self.description()["bodies"]]

    @property
    def joints(self) -> List[str]:
        """The names of the joints."""
        return [joint["name"] for joint in self.description()["joints"]]

    def _settings(self, **run: Any) -> Dict[str, Any]:
        settings: Dict[str, Any] = {
            "name": self._name,
            "folder": self._folder,
            "files_anywhere": self._anywhere,
            "overlap": False,
            "until": None,
            "dt": None,
            "stepper": None,
            "solver": None,
            "parameters": {},
        }
        settings.update(run)
        return settings

    def __setstate__(self, state: Dict[str, Any]) -> None:
        """Pickles of older versions lack what came later."""
        if not isinstance(state, dict) or not isinstance(state.get("_entries"), dict):
            raise InputError("the pickle is of another version, or no world", key="pickle")
        self.__dict__.update(World().__dict__)
        self.__dict__.update(state)

    def __copy__(self) -> "World":
        return copy.deepcopy(self)

    def copy(self) -> "World":
        """A world of its own."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        counts = {kind: len(entries) for kind, entries in self._entries.items() if entries}
        added = ", ".join(f"{kind} {count}" for kind, count in counts.items())
        return f"<stiction.World {self._name!r}: {added or 'nothing added'}>"


def turn(orientation: ArrayLike) -> Dict[str, Any]:
    """A quaternion w x y z as axis and angle in degrees."""
    import math

    w, *v = vector("orientation", orientation, 4)
    size = math.sqrt(sum(x * x for x in v))
    length = math.hypot(w, size)
    if length == 0.0:
        raise InputError("orientation: a quaternion of zeros is no rotation", key="orientation")
    axis: Sequence[float] = [x / size for x in v] if size > 0.0 else [0.0, 0.0, 1.0]
    return {"axis": list(axis), "angle": math.degrees(2.0 * math.atan2(size, w))}
