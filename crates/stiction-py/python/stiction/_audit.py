"""Audits: what the forces of another program are worth."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Floats, given, table
from ._errors import InputError
from ._problem import Answer, Problem, solve

__all__ = ["Audit", "audit", "audit_file"]

#: Contacts with less than this part of the largest normal force do not count for the use of friction.
FAINT = 1e-3

#: Slower slip (m/s) and less normal force (of the mean weight) say nothing of the direction of friction.
SLOW, LIGHT = 1e-6, 1e-6

#: How far friction of a contact that slips may be from the edge of its cone (relative).
OFF_CONE = 1e-2

#: Friction this little beyond its cone (relative) is rounding.
ROUNDING = 1e-9


class Audit:
    """The judge's verdict on forces, what is left of the balance of every body, and what the forces of contacts break.

    Forces are in N, torques in N·m about the centre of mass, all in world axes; at velocity and impact level impulses.
    """

    def __init__(
        self,
        problem: Problem,
        forces: Tuple[Floats, Floats, Floats, Floats],
        gaps: Optional[Floats] = None,
        velocities: Optional[Floats] = None,
        accelerations: Optional[Floats] = None,
    ) -> None:
        self.problem = problem
        #: Normal and friction forces of the contacts.
        self.normal, self.friction = forces[:2]
        judged = json.loads(problem._core.judge(*(part.tobytes() for part in forces)))
        #: Whether they obey the laws, and the relative residual of the strictest law that holds.
        self.certified: bool = judged["certified"]
        self.residual: float = np.inf if judged["residual"] is None else judged["residual"]
        #: The laws one by one, and modes and margins of the contacts.
        self.certificate: Dict[str, Any] = judged["certificate"]
        self.contacts: List[Dict[str, Any]] = judged["contacts"]
        #: Acceleration (or velocity) that the forces leave the bodies, n × 6; of contacts along the normal, and slip.
        self.motion: Floats = np.array(judged["bodies"], dtype=np.float64).reshape(-1, 6)
        self.separation: Floats = np.array(judged["separation"], dtype=np.float64)
        self.slip: Floats = np.array(judged["slip"], dtype=np.float64).reshape(-1, 3)
        data = json.loads(problem.to_json())
        #: What is left of the balance of every body at rest, n × 6.
        self.balance: Floats = balance(data["bodies"], self.motion)
        #: The same with the accelerations that the program states.
        self.balance_moving: Optional[Floats] = None
        if accelerations is not None:
            self.balance_moving = self.balance - inertial(data["bodies"], accelerations)
        coefficients = np.array([contact.get("mu", 0.0) for contact in data["contacts"]])
        size = np.linalg.norm(self.friction, axis=1)
        #: Friction beyond the cone (N), and how much of the cone is used (NaN without normal force).
        self.cone_excess: Floats = size - coefficients * self.normal
        limit = coefficients * self.normal
        self.friction_use: Floats = np.where(limit > 0, size / np.where(limit > 0, limit, 1), np.nan)
        #: Normal force times gap (N·m), where gaps are known: zero by the law.
        self.gap_force: Optional[Floats] = None if gaps is None else self.normal * gaps
        self.gaps = gaps
        #: Slip velocities (m/s) and power of friction (W), where velocities are known.
        self.slip_velocity: Optional[Floats] = None
        self.friction_power: Optional[Floats] = None
        if velocities is not None:
            normals = np.array([contact["normal"] for contact in data["contacts"]]).reshape(-1, 3)
            along = np.einsum("ij,ij->i", velocities, normals)
            self.slip_velocity = velocities - along[:, None] * normals
            self.friction_power = np.einsum("ij,ij->i", self.friction, self.slip_velocity)
        loads = [float(np.linalg.norm(load(body)[:3])) for body in data["bodies"]]
        loads = [size for size in loads if size > 0]
        #: What forces are compared with: the mean weight of the bodies (N), or what else acts on them.
        self.weight: float = float(np.mean(loads)) if loads else 0.0
        self._limit = limit

    @property
    def beyond_cone(self) -> NDArray[np.bool_]:
        """Contacts whose friction is beyond its cone."""
        counts = self.normal > FAINT * self.normal.max(initial=0.0)
        beyond: NDArray[np.bool_] = counts & (self.cone_excess > ROUNDING * self._limit)
        return beyond

    @property
    def off_cone(self) -> NDArray[np.bool_]:
        """Contacts that slip and whose friction is not at the edge of the cone against the slip."""
        if self.slip_velocity is None:
            return np.zeros(len(self.normal), dtype=bool)
        speed = np.linalg.norm(self.slip_velocity, axis=1)
        against = -self._limit[:, None] * self.slip_velocity / np.where(speed > 0, speed, 1)[:, None]
        off = np.linalg.norm(self.friction - against, axis=1) > OFF_CONE * self._limit
        found: NDArray[np.bool_] = off & (speed > SLOW) & (self.normal > LIGHT * self.weight)
        return found

    @property
    def figures(self) -> Dict[str, float]:
        """The worst of everything. Forces in units of the mean weight, torques of mean weight times 1 m."""
        counts = self.normal > FAINT * self.normal.max(initial=0.0)
        use = np.nan_to_num(self.friction_use[counts])
        unit = self.weight or 1.0
        found = {
            "residual": self.residual,
            "imbalance_force": worst(self.balance[:, :3]) / unit,
            "imbalance_torque": worst(self.balance[:, 3:]) / unit,
            "cone_violation": max(0.0, self.cone_excess.max(initial=0.0)) / unit,
            "tension": max(0.0, (-self.normal).max(initial=0.0)) / unit,
            "friction_use": use.max(initial=0.0),
            "contacts_beyond_the_cone": int(self.beyond_cone.sum()),
            "largest_normal_force": self.normal.max(initial=0.0) / unit,
        }
        if self.balance_moving is not None:
            found["imbalance_force_moving"] = worst(self.balance_moving[:, :3]) / unit
            found["imbalance_torque_moving"] = worst(self.balance_moving[:, 3:]) / unit
        if self.gaps is not None and self.gap_force is not None:
            found["penetration"] = max(0.0, (-self.gaps).max(initial=0.0))
            found["normal_force_times_gap"] = worst(self.gap_force)
        if self.slip_velocity is not None and self.friction_power is not None:
            found["creep"] = np.linalg.norm(self.slip_velocity, axis=1).max(initial=0.0)
            found["slipping_contacts_off_the_cone"] = int(self.off_cone.sum())
            found["friction_power"] = self.friction_power.sum()
        return {name: float(value) for name, value in found.items()}

    @property
    def exact(self) -> Answer:
        """Lawful forces; `exact.unique` says which of them are the only possible ones."""
        return solve(self.problem)

    def __str__(self) -> str:
        verdict = "certified" if self.certified else "NOT CERTIFIED"
        lines = [f"{verdict}: relative residual {self.residual:.2e}"]
        lines += [f"  {name:<32} {value:>12.4e}" for name, value in self.figures.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        verdict = "certified" if self.certified else "not certified"
        return f"<stiction.Audit: {verdict}, residual {self.residual:.2e}>"

    def _repr_html_(self) -> str:
        columns = {
            "normal": self.normal.tolist(),
            "friction": np.linalg.norm(self.friction, axis=1).tolist(),
            "cone excess": self.cone_excess.tolist(),
            "separates": self.separation.tolist(),
            "slips": np.linalg.norm(self.slip, axis=1).tolist(),
        }
        return f"<p>{repr(self)[1:-1]}</p>" + table(columns)


def worst(values: Floats) -> float:
    """The largest size."""
    return float(np.abs(values).max(initial=0.0))


def balance(bodies: List[Dict[str, Any]], motion: Floats) -> Floats:
    """The wrench that gives bodies this motion, n × 6: mass times acceleration."""
    return np.array([inertia(body) @ moves for body, moves in zip(bodies, motion)]).reshape(-1, 6)


def inertia(body: Dict[str, Any]) -> Floats:
    """Mass and inertia of a body, 6 × 6; zero of one that nothing moves."""
    if body.get("fixed"):
        return np.zeros((6, 6))
    if "inverse_inertia" in body:
        return np.linalg.pinv(np.array(body["inverse_inertia"], dtype=np.float64))
    made = np.zeros((6, 6))
    made[:3, :3] = body["mass"] * np.eye(3)
    made[3:, 3:] = body["inertia"]
    return made


def load(body: Dict[str, Any]) -> Floats:
    """The wrench on a body without contacts."""
    if "free_response" in body:
        acts: Floats = inertia(body) @ np.array(body["free_response"], dtype=np.float64)
        return acts
    return np.array(body.get("wrench", np.zeros(6)), dtype=np.float64)


def inertial(bodies: List[Dict[str, Any]], accelerations: Floats) -> Floats:
    """Mass times acceleration, and for bodies that turn the rest of the change of their spin."""
    made = balance(bodies, accelerations)
    for row, body in zip(made, bodies):
        if "velocity" in body and "inertia" in body:
            spin = np.array(body["velocity"][3:])
            row[3:] += np.cross(spin, np.array(body["inertia"]) @ spin)
    return made


def audit(
    problem: Problem,
    forces: ArrayLike,
    bilateral: ArrayLike = (),
    bounded: ArrayLike = (),
    gaps: Optional[ArrayLike] = None,
    velocities: Optional[ArrayLike] = None,
    accelerations: Optional[ArrayLike] = None,
) -> Audit:
    """Judges forces of another program: k × 3, the whole force on the first body of every contact in world axes. The
    normal part is that along the normal of the problem, friction is the rest.

    Where known: `gaps` k (m, negative for overlap), `velocities` k × 3 of the first body relative to the second at the contacts,
    `accelerations` n × 6 of the bodies."""
    if not isinstance(problem, Problem):
        raise InputError(f"problem: a {type(problem).__name__} is no Problem", key="problem")
    count = problem.contacts
    force = given("forces", forces, count, 3)
    contacts = json.loads(problem.to_json())["contacts"]
    normals = np.array([contact["normal"] for contact in contacts], dtype=np.float64).reshape(-1, 3)
    normal = np.einsum("ij,ij->i", force, normals)
    friction = np.ascontiguousarray(force - normal[:, None] * normals)
    rows = (given("bilateral", bilateral, None), given("bounded", bounded, None))

    def known(what: str, value: Optional[ArrayLike], *shape: int) -> Optional[Floats]:
        return None if value is None else given(what, value, *shape)

    return Audit(
        problem,
        (normal, friction, *rows),
        known("gaps", gaps, count),
        known("velocities", velocities, count, 3),
        known("accelerations", accelerations, problem.bodies, 6),
    )


def audit_file(path: "Union[str, os.PathLike[str]]") -> Audit:
    """Judges the forces of an `audit-1` file: `bodies` with `mass`, `inertia`, `position`, `wrench` and where known `velocity` and
    `acceleration`; `contacts` with `a`, `b`, `point`, `normal`, `mu`, `force` and where known `gap` and `relative_velocity`."""
    name = os.fspath(path)
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InputError(f"{name}:{error.lineno}: {error.msg}", name, error.lineno) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: {error}", name) from None
    if not isinstance(data, dict) or data.get("format") != "audit-1":
        found = data.get("format") if isinstance(data, dict) else None
        raise InputError(f'{name}: format: is {found!r}, not "audit-1"', name, key="format")
    bodies, contacts = rows(name, data, "bodies"), rows(name, data, "contacts")

    def column(kind: str, of: List[Dict[str, Any]], key: str) -> List[Any]:
        for index, row in enumerate(of):
            if key not in row:
                where = f"{kind}[{index}].{key}"
                raise InputError(f"{name}: {where}: is missing", name, key=where)
        return [row[key] for row in of]

    def known(kind: str, of: List[Dict[str, Any]], key: str) -> Optional[List[Any]]:
        return column(kind, of, key) if of and key in of[0] else None

    problem = Problem(
        masses=column("bodies", bodies, "mass"),
        inertias=column("bodies", bodies, "inertia"),
        positions=column("bodies", bodies, "position"),
        pairs=list(zip(column("contacts", contacts, "a"), column("contacts", contacts, "b"))),
        points=column("contacts", contacts, "point"),
        normals=column("contacts", contacts, "normal"),
        friction=column("contacts", contacts, "mu"),
        wrenches=column("bodies", bodies, "wrench"),
        velocities=known("bodies", bodies, "velocity"),
        name=name,
    )
    return audit(
        problem,
        column("contacts", contacts, "force"),
        gaps=known("contacts", contacts, "gap"),
        velocities=known("contacts", contacts, "relative_velocity"),
        accelerations=known("bodies", bodies, "acceleration"),
    )


def rows(file: str, data: Dict[str, Any], key: str) -> List[Dict[str, Any]]:
    """A list of tables of a file."""
    found = data.get(key)
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise InputError(f"{file}: {key}: is no list of objects", file, key=key)
    return found
