"""Statics: whether an assembly of blocks stands, with what margin, and what proves it."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, find, floats, given, number, vector
from ._errors import InputError
from ._world import World

__all__ = ["Assembly", "Margin", "Mechanism", "Verdict", "stands", "stands_all"]

#: The faces of a box by its corners, seen from outside; corner k has the bits of k as x, y, z.
BOX_FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]

Path_ = Union[str, "os.PathLike[str]"]


class Assembly:
    """Rigid blocks at rest, where they touch, and what loads them (`docs/assemblies.md`).

    `blocks` are dicts with `vertices` (n × 3) and `faces` (lists of vertices, counter-clockwise from outside), or `box` (edge lengths)
    and `centre`; with `name`, `fixed`, and `density` or `mass`. `friction` is one coefficient, `pair_friction` a dict of others by pairs of names.
    `load` is a list of dicts with `block`, `force`, `torque`, `point`. Where blocks touch is found within `gap` (m).
    """

    def __init__(
        self,
        blocks: Sequence[Dict[str, Any]],
        friction: float,
        pair_friction: Optional[Dict[Tuple[str, str], float]] = None,
        load: Sequence[Dict[str, Any]] = (),
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        gap: Optional[float] = None,
        name: str = "assembly",
    ) -> None:
        laid = [block_of(index, block) for index, block in enumerate(blocks)]
        names = [block["name"] for block in laid]
        data: Dict[str, Any] = {
            "format": "assembly-1",
            "name": str(name),
            "gravity": vector("gravity", gravity),
            "friction": number("friction", friction),
            "blocks": laid,
        }
        if pair_friction:
            if not isinstance(pair_friction, dict):
                raise InputError(f"pair_friction: a {type(pair_friction).__name__} is no dict", key="pair_friction")
            data["pair_friction"] = [
                {"a": find("block", names, a), "b": find("block", names, b), "mu": number("pair_friction", mu)}
                for (a, b), mu in pair_friction.items()
            ]
        if len(load):
            data["load"] = [load_of(names, one) for one in load]
        self._take(_core.Assembly.parse(json.dumps(data), str(name), options(gap=gap)))

    @classmethod
    def read(
        cls,
        path: Path_,
        friction: Optional[float] = None,
        density: Optional[float] = None,
        unit: Optional[str] = None,
        fixed: Sequence[str] = (),
        gravity: Optional[ArrayLike] = None,
        gap: Optional[float] = None,
    ) -> "Assembly":
        """Reads an assembly-1, COMPAS, OBJ or CSV file, a list of boxes (JSON), or a scene (TOML). What a file lacks has to be given."""
        lacks = options(friction, density, unit, fixed, gravity, gap)
        file = os.fspath(path)
        if file.endswith(".toml"):
            return cls._of(World.read(file), lacks)
        try:
            text = Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{file}: {error}", file) from None
        return cls._wrap(_core.Assembly.parse(text, file, lacks))

    @classmethod
    def of(
        cls, world: World, friction: Optional[float] = None, gap: Optional[float] = None
    ) -> "Assembly":
        """The bodies of a world at its first instant."""
        if not isinstance(world, World):
            raise InputError(f"world: a {type(world).__name__} is no World", key="world")
        return cls._of(world, options(friction, gap=gap))

    @classmethod
    def _of(cls, world: World, lacks: Dict[str, Any]) -> "Assembly":
        return cls._wrap(_core.Assembly.of_scene(world.to_toml(), world._settings(), lacks))

    @classmethod
    def _wrap(cls, core: _core.Assembly) -> "Assembly":
        assembly = cls.__new__(cls)
        assembly._take(core)
        return assembly

    def _take(self, core: _core.Assembly) -> None:
        self._core = core
        self.description: Dict[str, Any] = json.loads(core.description())
        self.name: str = self.description["name"]
        self.blocks: List[str] = [block["name"] for block in self.description["blocks"]]

    @property
    def contacts(self) -> "np.ndarray[Any, np.dtype[Any]]":
        """Corners of interfaces: `first`, `second`, `point`, `normal` into the first block, `friction`."""
        pairs, numbers = self._core.contacts()
        rows = floats(numbers, -1, 7)
        found = np.zeros(len(pairs), dtype=CONTACT)
        if len(pairs):
            found["first"], found["second"] = np.array(pairs).T
        found["point"], found["normal"], found["friction"] = rows[:, :3], rows[:, 3:6], rows[:, 6]
        return found

    @property
    def floating(self) -> List[str]:
        """Blocks that nothing connects to a support."""
        return [self.blocks[index] for index in self.description["floating"]]

    def stands(self, must: bool = True, need_not: bool = True) -> "Verdict":
        """Whether it stands. `must` and `need_not` look for these stronger proofs, too."""
        return Verdict(self._core.stands(bool(must), bool(need_not)), self)

    def load_factor(self) -> "Margin":
        """The largest factor on the live load that forces in the cones carry."""
        return Margin(self._core.load_factor())

    def limit_load(self) -> "Margin":
        """Up to the lower end it must stand, at the upper end it may move."""
        return Margin(self._core.limit_load())

    def tilt(self, direction: ArrayLike = (1.0, 0.0, 0.0)) -> "Margin":
        """The largest tangent of the angle by which gravity can turn towards a horizontal direction."""
        return Margin(self._core.tilt(vector("direction", direction)))

    def least_friction(self) -> "Margin":
        """The least factor on all coefficients of friction with which it can stand."""
        return Margin(self._core.least_friction())

    def force_range(self, interface: int) -> Optional[Tuple[float, float]]:
        """The least and the largest sum of normal forces (N) of an interface among all forces that carry the weight."""
        if isinstance(interface, bool) or not isinstance(interface, (int, np.integer)) or interface < 0:
            raise InputError(f"interface: {interface!r} is no index", key="interface")
        found = self._core.force_range(int(interface))
        return None if found is None else (found[0], found[1])

    def check(self, certificate: str) -> Tuple[int, float]:
        """Checks a certificate against this assembly, in 32 digits: the number of claims, and the largest imbalance. `InputError` says why
        one is refused."""
        return self._core.check(certificate)

    def to_json(self) -> str:
        """In the format `assembly-1`."""
        return self._core.text()

    def __reduce__(self) -> Any:
        return (_assembly, (self.to_json(), self.name))

    def __repr__(self) -> str:
        blocks, contacts = len(self.blocks), len(self._core.contacts()[0])
        return f"<stiction.Assembly {self.name!r}: {blocks} blocks, {contacts} contact points>"


#: A corner of an interface.
CONTACT = np.dtype(
    [("first", "i8"), ("second", "i8"), ("point", "f8", (3,)), ("normal", "f8", (3,)), ("friction", "f8")]
)


def _assembly(text: str, name: str) -> Assembly:
    return Assembly._wrap(_core.Assembly.parse(text, name, options()))


def options(
    friction: Optional[float] = None,
    density: Optional[float] = None,
    unit: Optional[str] = None,
    fixed: Sequence[str] = (),
    gravity: Optional[ArrayLike] = None,
    gap: Optional[float] = None,
) -> Dict[str, Any]:
    """What files lack, checked."""
    found: Dict[str, Any] = {"unit": unit, "fixed": [str(name) for name in fixed]}
    for key, value in (("friction", friction), ("density", density), ("gap", gap)):
        found[key] = None if value is None else number(key, value)
        if found[key] is not None and found[key] < 0:
            raise InputError(f"{key}: {found[key]} is negative", key=key)
    found["gravity"] = None if gravity is None else vector("gravity", gravity)
    return found


def block_of(index: int, block: Dict[str, Any]) -> Dict[str, Any]:
    """A block as assembly-1 has it."""
    if not isinstance(block, dict):
        raise InputError(f"blocks[{index}]: a {type(block).__name__} is no dict", key="blocks")
    made = {"name": f"block {index}", **block}
    if "box" in made:
        size = given(f"blocks[{index}].box", made.pop("box"), 3)
        centre = given(f"blocks[{index}].centre", made.pop("centre", (0, 0, 0)), 3)
        corners = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)]) - 0.5
        made["vertices"], made["faces"] = centre + corners * size, BOX_FACES
    for key, value in made.items():
        made[key] = plain(f"blocks[{index}].{key}", value)
    return made


def load_of(names: Sequence[str], load: Dict[str, Any]) -> Dict[str, Any]:
    """A live load as assembly-1 has it."""
    if not isinstance(load, dict) or "block" not in load:
        raise InputError("load: needs dicts with a block", key="load")
    made = {key: plain(f"load.{key}", value) for key, value in load.items()}
    made["block"] = find("block", names, load["block"])
    return made


def plain(key: str, value: Any) -> Any:
    """A value that JSON has."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{key}: is not finite", key=key)
    if isinstance(value, (list, tuple)):
        return [plain(key, item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise InputError(f"{key}: a {type(value).__name__} is none of number, text and list", key=key)


@dataclass(frozen=True)
class Mechanism:
    """How a structure fails: blocks that move, and interfaces in each mode."""

    moving: Tuple[str, ...]
    #: Interfaces whose blocks move against each other, and whether each "slides", "hinges" or "opens".
    interfaces: Tuple[Tuple[int, str], ...]
    slides: int
    hinges: int
    opens: int

    @classmethod
    def _of(cls, data: Optional[Dict[str, Any]]) -> Optional["Mechanism"]:
        if data is None:
            return None
        pairs = tuple((index, mode) for index, mode in data["interfaces"])
        return cls(tuple(data["moving"]), pairs, data["slides"], data["hinges"], data["opens"])


class Verdict:
    """What statics says of an assembly, and its proof.

    `name` is "cannot stand", "can stand", "need not stand", "must stand", "on the edge" or "undecided"; as a truth, whether it can stand.
    """

    def __init__(self, core: _core.Verdict, assembly: Assembly) -> None:
        self._core = core
        self.assembly = assembly
        self.name: str = core.name

    @property
    def can_stand(self) -> Optional[bool]:
        """Whether it can stand; None if nothing could be proved."""
        return self._core.can

    def __bool__(self) -> bool:
        return self._core.can is True

    @property
    def forces(self) -> Optional[Floats]:
        """Forces (N) on the first block of every contact that carry the weight, n × 3; None if the proof has none."""
        data = self._core.forces()
        return None if data is None else floats(data, -1, 3)

    @property
    def motion(self) -> Optional[Floats]:
        """The motion of the blocks that is the proof, velocity at the centre and spin, n × 6; None if the proof has none. Of a structure
        that may move, accelerations."""
        data = self._core.motion()
        return None if data is None else floats(data, -1, 6)

    @property
    def mechanism(self) -> Optional[Mechanism]:
        """How it fails, if it cannot stand."""
        text = self._core.mechanism()
        return None if text is None else Mechanism._of(json.loads(text))

    def certificate(self, *margins: "Margin") -> str:
        """The certificate of the verdict, and of margins of the same assembly; `stiction check-certificate` checks it."""
        for margin in margins:
            if not isinstance(margin, Margin):
                raise InputError(f"margins: a {type(margin).__name__} is no Margin", key="margins")
        return self._core.certificate([margin._core for margin in margins])

    def svg(self) -> str:
        """A picture of forces and motion."""
        return self._core.svg([self.assembly.name, self.name])

    def __repr__(self) -> str:
        return f"<stiction.Verdict: {self.name}>"

    def __str__(self) -> str:
        return self.name

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.assembly.name)}: <b>{self.name}</b></p>{self.svg()}"


class Margin:
    """A margin: its value is between `at_least` and `at_most`, both proved."""

    def __init__(self, core: _core.Margin) -> None:
        self._core = core
        data = json.loads(core.text())
        #: "load factor", "limit load", "tilt" (a tangent) or "friction factor".
        self.what: str = data["what"]
        self.at_least: Optional[float] = -math.inf if data["nothing_is_carried"] else data["at_least"]
        self.at_most: Optional[float] = data["at_most"]
        #: Whether it was proved that nothing bounds it.
        self.unbounded: bool = data["unbounded"]
        self.direction: Optional[List[float]] = data["direction"]
        self.mechanism: Optional[Mechanism] = Mechanism._of(data["mechanism"])

    @property
    def value(self) -> float:
        """The middle of both ends; infinite if nothing bounds it, NaN where an end is not proved."""
        if self.at_least is not None and self.unbounded:
            return math.inf
        if self.at_least is None or self.at_most is None:
            return math.nan
        return 0.5 * (self.at_least + self.at_most)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        ends = "no limit" if self.unbounded else f"{self.at_least} to {self.at_most}"
        return f"<stiction.Margin: {self.what} {ends}>"


Stands = Union[World, Assembly]


def assembly_of(what: Stands) -> Assembly:
    """The assembly of a world, or the assembly itself."""
    return what if isinstance(what, Assembly) else Assembly.of(what)


def stands(what: Stands, must: bool = True, need_not: bool = True) -> Verdict:
    """Whether a world or an assembly stands under its weight, and the proof."""
    return assembly_of(what).stands(must, need_not)


def stands_all(assemblies: Sequence[Stands], must: bool = True, need_not: bool = True) -> List[Verdict]:
    """Verdicts on many, on all cores."""
    found = [assembly_of(one) for one in assemblies]
    cores = _core.stands_all([one._core for one in found], bool(must), bool(need_not))
    return [Verdict(core, one) for core, one in zip(cores, found)]
