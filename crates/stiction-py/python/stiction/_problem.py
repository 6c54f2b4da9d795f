"""Single contact problems: forces and certificates."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, Parameters, floats, given, number, texts
from ._errors import InputError, SolverError

__all__ = ["Answer", "Problem", "Trace", "solve", "solve_all", "trace"]

SOLVERS: Tuple[str, ...] = tuple(_core.SOLVERS)
LEVELS = ("acceleration", "velocity", "impact", "first-order")

class Problem:
    """Bodies that touch, and the law of every contact (`docs/contact-1.md`).

    `masses` n, `inertias` n × 3 × 3 in world axes, `positions` n × 3, `wrenches` n × 6 (force and torque about the centre
    of mass), `velocities` n × 6. Contacts: `pairs` k × 2 with −1 for the fixed world, `points` and `normals` k × 3 (the normal points
    into the first body), `friction` k or one number.
    """

    def __init__(
        self,
        masses: ArrayLike,
        inertias: ArrayLike,
        positions: ArrayLike,
        pairs: ArrayLike,
        points: ArrayLike,
        normals: ArrayLike,
        friction: ArrayLike = 0.0,
        wrenches: Optional[ArrayLike] = None,
        velocities: Optional[ArrayLike] = None,
        level: str = "acceleration",
        step: Optional[float] = None,
        name: str = "problem",
    ) -> None:
        if level not in LEVELS:
            raise InputError(f"level: unknown {level!r} (known: {', '.join(LEVELS)})", key="level")
        mass = given("masses", masses, None)
        n = len(mass)
        inertia, position = given("inertias", inertias, n, 3, 3), given("positions", positions, n, 3)
        bodies: List[Dict[str, Any]] = [
            {"mass": m, "inertia": i, "position": p}
            for m, i, p in zip(mass.tolist(), inertia.tolist(), position.tolist())
        ]
        for key, what in (("wrench", wrenches), ("velocity", velocities)):
            if what is not None:
                rows = given("wrenches" if key == "wrench" else "velocities", what, n, 6).tolist()
                for body, row in zip(bodies, rows):
                    body[key] = row
        data: Dict[str, Any] = {"format": "contact-1", "name": name, "level": level, "bodies": bodies}
        if step is not None:
            data["h"] = number("step", step)
        data["contacts"] = _contacts(pairs, points, normals, friction)
        self._core = _core.Problem(json.dumps(data), name, 0)

    @classmethod
    def _wrap(cls, core: _core.Problem) -> "Problem":
        problem = cls.__new__(cls)
        problem._core = core
        return problem

    @classmethod
    def read(cls, path: "Union[str, os.PathLike[str]]", load: int = 0) -> "Problem":
        """Reads a `contact-1` file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{os.fspath(path)}: {error}", os.fspath(path)) from None
        return cls.parse(text, os.fspath(path), load)

    @classmethod
    def parse(cls, text: str, name: str = "problem", load: int = 0) -> "Problem":
        """A `contact-1` text; errors call it by its name."""
        return cls._wrap(_core.Problem(text, name, load))

    def to_json(self) -> str:
        """The `contact-1` text."""
        return self._core.text()[0]

    @property
    def bodies(self) -> int:
        """How many bodies it has."""
        return self._core.sizes()[0]

    @property
    def contacts(self) -> int:
        """How many contacts it has."""
        return self._core.sizes()[1]

    @property
    def islands(self) -> int:
        """How many islands it has."""
        return self._core.sizes()[3]

    def __reduce__(self) -> Any:
        text, load = self._core.text()
        return (Problem.parse, (text, "problem", load))

    def __repr__(self) -> str:
        bodies, contacts, rows, _, level = self._core.sizes()
        return f"<stiction.Problem: {bodies} bodies, {contacts} contacts, {rows} rows, {level} level>"


def _contacts(
    pairs: ArrayLike, points: ArrayLike, normals: ArrayLike, friction: ArrayLike
) -> List[Dict[str, Any]]:
    pair = given("pairs", pairs, None, 2)
    k = len(pair)
    point, normal = given("points", points, k, 3), given("normals", normals, k, 3)
    mu = np.asarray(friction, dtype=np.float64)
    mu = given("friction", np.full(k, mu) if mu.ndim == 0 else mu, k)
    if (pair != np.round(pair)).any() or (pair[:, :1] < 0).any():
        raise InputError("pairs: the first body is an index from 0 on, the second one or −1", key="pairs")
    return [
        {"a": int(a), "b": int(b), "point": p, "normal": n, "mu": m}
        for (a, b), p, n, m in zip(pair.tolist(), point.tolist(), normal.tolist(), mu.tolist())
    ]


class Answer:
    """Forces of a problem, as the judge sees them."""

    def __init__(self, core: _core.Answer) -> None:
        self._core = core

    @property
    def status(self) -> str:
        """"certified", "approximate", "uncertified" or "impulse"."""
        return self._core.status

    @property
    def certified(self) -> bool:
        """Whether the forces obey a law, or the impulse its conditions."""
        return self._core.certified

    @property
    def residual(self) -> float:
        """The relative residual."""
        return self._core.residual

    @property
    def solver(self) -> str:
        """The method that answered."""
        return self._core.solver

    @property
    def normal(self) -> Floats:
        """Normal forces (N; N·s at velocity and impact level)."""
        return floats(self._core.normal(), -1)

    @property
    def friction(self) -> Floats:
        """Friction forces, k × 3."""
        return floats(self._core.friction(), -1, 3)

    @property
    def bilateral(self) -> Floats:
        """Forces of bilateral rows."""
        return floats(self._core.bilateral(), -1)

    @property
    def bounded(self) -> Floats:
        """Forces of bounded rows."""
        return floats(self._core.bounded(), -1)

    @property
    def response(self) -> Floats:
        """Accelerations or velocities of the bodies, n × 6."""
        return floats(self._core.response(), -1, 6)

    @property
    def report(self) -> Dict[str, Any]:
        """Certificate, and modes and margins of the contacts."""
        report: Dict[str, Any] = json.loads(self._core.report())
        return report

    @property
    def unique(self) -> Dict[str, Any]:
        """Which forces are the only possible ones, and whether the motion is."""
        unique: Dict[str, Any] = json.loads(self._core.uniqueness())
        return unique

    def __repr__(self) -> str:
        return f"<stiction.Answer {self.status}, {len(self.normal)} contacts, residual {self.residual:.1e}>"


def solve(
    problem: Problem,
    solver: str = "auto",
    parameters: Parameters = None,
    budget: Optional[float] = None,
) -> Answer:
    """Forces of one problem. `SolverError` if the solver does not model it or breaks down."""
    if not isinstance(problem, Problem):
        raise InputError(f"problem: a {type(problem).__name__} is no Problem", key="problem")
    return Answer(problem._core.solve(solver, texts(parameters), budget))


def solve_all(
    problems: Sequence[Problem],
    solver: str = "auto",
    parameters: Parameters = None,
    budget: Optional[float] = None,
) -> List[Union[Answer, SolverError]]:
    """Forces of many problems, on all cores. A problem without an answer has its error instead."""
    for problem in problems:
        if not isinstance(problem, Problem):
            raise InputError(f"problems: a {type(problem).__name__} is no Problem", key="problems")
    cores = [problem._core for problem in problems]
    solved = _core.solve_all(cores, solver, texts(parameters), budget)
    return [SolverError(reason) if answer is None else Answer(answer) for answer, reason in solved]


class Trace:
    """The steps of a solver on one problem: a list of dicts, each with `event` and what belongs to it, and a `sentence`; with `inspect` also the
    index sets of its paper and the forces after the event. `answer` is its answer, `failure` why it has none."""

    def __init__(self, answer: Optional[Answer], failure: Optional[str], events: List[Dict[str, Any]]) -> None:
        self.answer = answer
        self.failure = failure
        self.events = events

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.events)

    def __getitem__(self, index: int) -> Dict[str, Any]:
        return self.events[index]

    def __str__(self) -> str:
        lines = [f"{number:>6}  {event['sentence']}" for number, event in enumerate(self.events, 1)]
        return "\n".join([*lines, self.failure or repr(self.answer)])

    def __repr__(self) -> str:
        return f"<stiction.Trace: {len(self)} events, {self.failure or self.answer!r}>"


def trace(
    problem: Problem,
    solver: str = "auto",
    parameters: Parameters = None,
    budget: Optional[float] = None,
    inspect: bool = False,
) -> Trace:
    """Forces of one problem, and what the solver did, event by event."""
    if not isinstance(problem, Problem):
        raise InputError(f"problem: a {type(problem).__name__} is no Problem", key="problem")
    answer, failure, events = problem._core.trace(solver, texts(parameters), budget, bool(inspect))
    return Trace(None if answer is None else Answer(answer), failure, json.loads(events))
