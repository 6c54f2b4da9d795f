"""Simulations and recordings."""

from __future__ import annotations

import copy
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import CONTACT, JOINT, Floats, Name, Parameters, Records, find, floats, number, texts, vector
from ._certificate import Certificate
from ._errors import InputError
from ._problem import Problem
from ._world import World

__all__ = ["Frame", "Recording", "Simulation"]

#: What a pickle says it is.
PICKLE = "simulation-1"

STEPPERS: Tuple[str, ...] = tuple(_core.STEPPERS)


class Frame:
    """One instant of a run: states, contacts, joints, events, energy. Arrays are copies."""

    def __init__(self, core: _core.Frame, bodies: List[str], joints: List[str]) -> None:
        self._core = core
        self.bodies = bodies
        self.joint_names = joints
        self._states: Floats = floats(core.states(), len(bodies), 13)

    @property
    def index(self) -> int:
        """Its number, from 0."""
        return self._core.index

    @property
    def time(self) -> float:
        """Its time (s)."""
        return self._core.time

    @property
    def hash(self) -> str:
        """The hash of its state, in hexadecimal digits."""
        return f"{self._core.hash:016x}"

    @property
    def positions(self) -> Floats:
        """Centres of mass (m), n × 3."""
        return self._states[:, 0:3].copy()

    @property
    def orientations(self) -> Floats:
        """Quaternions w x y z from body axes to world axes, n × 4."""
        return self._states[:, 3:7].copy()

    @property
    def velocities(self) -> Floats:
        """Velocities of the centres of mass (m/s), n × 3."""
        return self._states[:, 7:10].copy()

    @property
    def angular_velocities(self) -> Floats:
        """Angular velocities (rad/s), n × 3."""
        return self._states[:, 10:13].copy()

    @property
    def impulses(self) -> Floats:
        """What bodies received since the frame before from contacts, joints, springs, motors and collisions:
        linear (N·s) and angular about the centre of mass (N·m·s), n × 6."""
        return floats(self._core.impulses(), len(self.bodies), 6)

    def position(self, body: Name) -> Floats:
        """The centre of mass of a body (m)."""
        return self._states[self._body(body), 0:3].copy()

    def orientation(self, body: Name) -> Floats:
        """The quaternion w x y z of a body."""
        return self._states[self._body(body), 3:7].copy()

    def velocity(self, body: Name) -> Floats:
        """The velocity of a body's centre of mass (m/s)."""
        return self._states[self._body(body), 7:10].copy()

    def angular_velocity(self, body: Name) -> Floats:
        """The angular velocity of a body (rad/s)."""
        return self._states[self._body(body), 10:13].copy()

    def _body(self, name: Name) -> int:
        return find("body", self.bodies, name)

    @property
    def contacts(self) -> Records:
        """Contacts as a structured array; `to_pandas()` gives a table."""
        return Records(self._core.contacts(), CONTACT, self.bodies)

    @property
    def joints(self) -> Records:
        """Joints as a structured array."""
        return Records(self._core.joints(), JOINT, self.joint_names)

    @property
    def events(self) -> List[Dict[str, Any]]:
        """What happened since the frame before, with names of bodies and joints."""
        events: List[Dict[str, Any]] = json.loads(self._core.events())
        for event in events:
            if event["bodies"] is not None:
                event["bodies"] = [self.bodies[i] for i in event["bodies"]]
            if "joint" in event:
                event["joint"] = self.joint_names[event["joint"]]
        return events

    @property
    def energy(self) -> Dict[str, float]:
        """The energy ledger (J)."""
        ledger: Dict[str, float] = json.loads(self._core.energy())
        return ledger

    @property
    def verdict(self) -> Dict[str, Any]:
        """What the frame is worth by each law, and the answers behind it."""
        verdict: Dict[str, Any] = json.loads(self._core.verdict())
        return verdict

    def __repr__(self) -> str:
        return f"<stiction.Frame {self.index} at {self.time:.6g} s, {len(self.contacts)} contacts>"

    def __reduce__(self) -> Any:
        return (_frame, (self._core.encode(), self.bodies, self.joint_names))


def _frame(data: bytes, bodies: List[str], joints: List[str]) -> Frame:
    return Frame(_core.Frame.decode(data), bodies, joints)


class Simulation:
    """A world that is being run.

    `stepper` is "event-driven", "time-stepping" or "first-order", `solver` a name of `stiction.SOLVERS`, `parameters` those of its
    paper. A copy or pickle continues from the present state; its certificate begins there.
    """

    def __init__(
        self,
        world: World,
        dt: Optional[float] = None,
        stepper: Optional[str] = None,
        solver: Optional[str] = None,
        until: Optional[float] = None,
        parameters: Parameters = None,
    ) -> None:
        if not isinstance(world, World):
            raise InputError(f"world: a {type(world).__name__} is no World", key="world")
        self._world = world.copy()
        self._settings = self._world._settings(
            dt=None if dt is None else number("dt", dt),
            until=None if until is None else number("until", until),
            stepper=stepper,
            solver=solver,
            parameters=texts(parameters),
        )
        self._start(None)

    def _start(self, frame: Optional[bytes]) -> None:
        self._run = _core.Run(self._world.to_toml(), self._settings, frame)
        description = json.loads(self._run.description())
        self.bodies: List[str] = [body["name"] for body in description["bodies"]]
        self.joint_names: List[str] = [joint["name"] for joint in description["joints"]]
        self._now: Optional[Frame] = None

    # Running

    def step(self, frames: int = 1) -> "Simulation":
        """Advances by frames, each `dt` long."""
        if isinstance(frames, bool) or not isinstance(frames, (int, np.integer)) or frames < 0:
            raise InputError(f"frames: {frames!r} is no number of frames", key="frames")
        self._now = None
        self._run.step(int(frames))
        return self

    def run(self) -> "Simulation":
        """Advances to the end time."""
        return self.step(self._run.left())

    def reset(self) -> "Simulation":
        """Returns to the start."""
        self._start(None)
        return self

    def set_velocity(
        self, body: Name, linear: ArrayLike = (0, 0, 0), angular: ArrayLike = (0, 0, 0)
    ) -> None:
        """Gives a body a velocity (m/s, rad/s). The energy is entered into the ledger as work."""
        velocity = vector("linear", linear) + vector("angular", angular)
        self._run.set_velocity(find("body", self.bodies, body), velocity)
        self._now = None

    # The present

    @property
    def frame(self) -> Frame:
        """The present frame."""
        if self._now is None:
            self._now = Frame(self._run.frame(False), self.bodies, self.joint_names)
        return self._now

    @property
    def time(self) -> float:
        """The present time (s)."""
        return self.frame.time

    @property
    def index(self) -> int:
        """The number of the present frame."""
        return self.frame.index

    @property
    def world(self) -> World:
        """The world as it began."""
        return self._world.copy()

    @property
    def positions(self) -> Floats:
        """Centres of mass (m), n × 3."""
        return self.frame.positions

    @property
    def orientations(self) -> Floats:
        """Quaternions w x y z, n × 4."""
        return self.frame.orientations

    @property
    def velocities(self) -> Floats:
        """Velocities of the centres of mass (m/s), n × 3."""
        return self.frame.velocities

    @property
    def angular_velocities(self) -> Floats:
        """Angular velocities (rad/s), n × 3."""
        return self.frame.angular_velocities

    def position(self, body: Name) -> Floats:
        """The centre of mass of a body (m)."""
        return self.frame.position(body)

    def orientation(self, body: Name) -> Floats:
        """The quaternion w x y z of a body."""
        return self.frame.orientation(body)

    def velocity(self, body: Name) -> Floats:
        """The velocity of a body's centre of mass (m/s)."""
        return self.frame.velocity(body)

    def angular_velocity(self, body: Name) -> Floats:
        """The angular velocity of a body (rad/s)."""
        return self.frame.angular_velocity(body)

    @property
    def contacts(self) -> Records:
        """Contacts with their forces, as a structured array; `to_pandas()` gives a table."""
        return self.frame.contacts

    def contacts_with_uniqueness(self) -> Records:
        """The same, with the judge's verdict on which forces are unique."""
        return Records(self._run.frame(True).contacts(), CONTACT, self.bodies)

    @property
    def joints(self) -> Records:
        """Joints with their forces, as a structured array."""
        return self.frame.joints

    @property
    def events(self) -> List[Dict[str, Any]]:
        """What happened in the last frame."""
        return self.frame.events

    @property
    def energy(self) -> Dict[str, float]:
        """The energy ledger (J)."""
        return self.frame.energy

    @property
    def certificate(self) -> Certificate:
        """What the run is worth so far."""
        return Certificate._of(self._run.certificate())

    def problem(self, island: Optional[int] = None) -> Problem:
        """The contact problem of the present instant, or of one of its islands."""
        return Problem._wrap(self._run.problem(island))

    # Recording, viewing, copying

    def record(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes every frame from now on to a recording, which must not exist. Only at the start of a run."""
        self._run.record(os.fspath(path))

    def stop_recording(self) -> None:
        """Ends the recording."""
        self._run.stop_recording()

    def view(self) -> Any:
        """Opens the viewer on this world, live from its start; returns its process."""
        import subprocess

        folder = Path(tempfile.mkdtemp(prefix="stiction-"))
        scene = folder / "world.toml"
        scene.write_text(self._world.to_toml(), encoding="utf-8")
        return subprocess.Popen(["stiction", "view", str(scene)])

    def __getstate__(self) -> Dict[str, Any]:
        frame = self._run.frame(False).encode()
        return {"format": PICKLE, "world": self._world, "settings": self._settings, "frame": frame}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        known = isinstance(state, dict) and state.get("format") == PICKLE
        if not known or not isinstance(state.get("world"), World) or not isinstance(state.get("frame"), bytes):
            raise InputError("the pickle is of another version, or no simulation", key="pickle")
        self._world, self._settings = state["world"], state["settings"]
        self._start(state["frame"])

    def __copy__(self) -> "Simulation":
        return copy.deepcopy(self)

    def copy(self) -> "Simulation":
        """A simulation of its own, at the present state."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        bodies, contacts = len(self.bodies), len(self.contacts)
        return f"<stiction.Simulation at {self.time:.6g} s: {bodies} bodies, {contacts} contacts>"


class Recording:
    """A run in a file."""

    def __init__(self, path: "Union[str, os.PathLike[str]]") -> None:
        self.path = os.fspath(path)
        self._core = _core.Recording(self.path)
        self.description: Dict[str, Any] = json.loads(self._core.description())
        self.bodies: List[str] = [body["name"] for body in self.description["bodies"]]
        self.joint_names: List[str] = [joint["name"] for joint in self.description["joints"]]

    def __len__(self) -> int:
        return len(self._core)

    def __getitem__(self, index: int) -> Frame:
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"frame {index}: there are {count}")
        return Frame(self._core.frame(index % count), self.bodies, self.joint_names)

    def __iter__(self) -> Iterator[Frame]:
        return (self[index] for index in range(len(self)))

    @property
    def faults(self) -> List[str]:
        """What of the file cannot be read, and where."""
        return self._core.faults()

    @property
    def certificate(self) -> Certificate:
        """Its motion, judged from its frames and its scene alone."""
        return Certificate._of(self._core.certificate())

    @property
    def world(self) -> World:
        """The world that it is of."""
        return World.parse(self._core.text(), self.path, Path(self.path).resolve().parent)

    def __reduce__(self) -> Any:
        return (Recording, (self.path,))

    def __repr__(self) -> str:
        return f"<stiction.Recording {self.path!r}: {len(self)} frames>"
