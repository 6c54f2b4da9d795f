"""Exact contact forces between rigid bodies with Coulomb friction, and a proof of every answer.

    import stiction as st

    world = st.World()
    world.add_ground(friction=0.5)
    world.add_box("box", size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05))
    sim = st.Simulation(world, dt=1/240)
    sim.step(240)
    sim.position("box"), sim.contacts, sim.certificate
"""

from __future__ import annotations

from . import executors
from ._audit import Audit, audit, audit_file
from ._certificate import Certificate, Law
from ._core import __version__
from ._engines import audit_mujoco
from ._errors import InputError, SolverError
from ._other_engines import audit_drake, audit_pybullet
from ._problem import SOLVERS, Answer, Problem, Trace, solve, solve_all, trace
from ._simulation import STEPPERS, Frame, Recording, Simulation
from ._statics import Assembly, Margin, Mechanism, Verdict, stands, stands_all
from ._sweep import Table, merge, sweep
from ._world import World

__all__ = [
    "SOLVERS",
    "STEPPERS",
    "Answer",
    "Assembly",
    "Audit",
    "Certificate",
    "Frame",
    "InputError",
    "Law",
    "Margin",
    "Mechanism",
    "Problem",
    "Recording",
    "Simulation",
    "SolverError",
    "Table",
    "Trace",
    "Verdict",
    "World",
    "__version__",
    "audit",
    "audit_drake",
    "audit_file",
    "audit_mujoco",
    "audit_pybullet",
    "executors",
    "merge",
    "solve",
    "solve_all",
    "stands",
    "stands_all",
    "sweep",
    "trace",
]
