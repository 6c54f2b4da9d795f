"""Audits of other engines: figures of a plain recomputation are found again, exact answers pass."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import stiction as st

SHARED = Path(os.environ.get("STICTION_AUDITS", Path(__file__).parents[4] / "shared/data/assemblies/audit"))
FILES = sorted(SHARED.glob("*.json"))

NAMES = {
    "imbalance_force_static": "imbalance_force",
    "imbalance_torque_static": "imbalance_torque",
    "imbalance_force_with_acceleration": "imbalance_force_moving",
    "imbalance_torque_with_acceleration": "imbalance_torque_moving",
    "cone_violation": "cone_violation",
    "tension": "tension",
    "max_friction_use": "friction_use",
    "contacts_beyond_the_cone": "contacts_beyond_the_cone",
    "max_normal": "largest_normal_force",
    "penetration_m": "penetration",
    "normal_force_times_gap_Nm": "normal_force_times_gap",
    "max_slip_m_s": "creep",
    "slipping_contacts_off_the_cone": "slipping_contacts_off_the_cone",
    "friction_power_W": "friction_power",
}


@pytest.mark.skipif(not FILES, reason=f"no audits in {SHARED}; STICTION_AUDITS names their folder")
def test_known_violations_are_found_with_their_figures():
    for file in FILES:
        expected = json.loads(file.read_text())["expected"]
        found = st.audit_file(file)
        for theirs, ours in NAMES.items():
            if theirs in expected:
                figure = found.figures[ours]
                wanted = pytest.approx(expected[theirs], rel=1e-6, abs=1e-9)
                assert figure == wanted, (file.name, ours)
        assert found.certified == (found.residual < 1e-8)
    tampered = st.audit_file(SHARED / "tampered_stack_10.json")
    assert not tampered.certified and tampered.residual > 1e-3


def stack(turn=np.eye(3)):
    """Two boxes on each other on the ground, as an audit-1 file; forces by statics."""
    corners = np.array([[x, y, 0] for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    bodies = [
        {"mass": m, "inertia": (0.01 * np.eye(3)).tolist(), "position": (turn @ [0, 0, z]).tolist(),
         "wrench": [*(turn @ [0, 0, -9.81 * m]), 0, 0, 0]}
        for m, z in [(2.0, 0.1), (1.0, 0.3)]
    ]  # fmt: skip
    contacts = [
        {"a": a, "b": b, "point": (turn @ (corner + [0, 0, z])).tolist(), "normal": turn[:, 2].tolist(),
         "mu": 0.5, "force": (turn @ [0, 0, 9.81 * carried / 4]).tolist()}
        for a, b, z, carried in [(0, -1, 0.0, 3.0), (1, 0, 0.2, 1.0)] for corner in corners
    ]  # fmt: skip
    return {"format": "audit-1", "bodies": bodies, "contacts": contacts}


@pytest.mark.parametrize("seed", range(4))
def test_exact_forces_pass_and_tampered_ones_do_not(seed, tmp_path):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    file = tmp_path / "stack.json"
    data = stack(turn)
    file.write_text(json.dumps(data))
    found = st.audit_file(file)
    assert found.certified and found.figures["imbalance_force"] < 1e-12
    data["contacts"][0]["force"] = (-np.array(data["contacts"][0]["force"])).tolist()
    file.write_text(json.dumps(data))
    found = st.audit_file(file)
    assert not found.certified and found.exact.certified
    pull = 9.81 * 3 / 4
    assert found.figures["tension"] == pytest.approx(pull / found.weight)
    assert np.linalg.norm(found.balance[0, :3]) == pytest.approx(2 * pull)
    assert "NOT CERTIFIED" in str(found)


def test_files_that_make_no_sense_are_refused(tmp_path):
    file = tmp_path / "stack.json"
    for spoil, words in [
        (lambda d: d.update(format="audit-2"), "audit-2"),
        (lambda d: d.update(bodies=3), "bodies: is no list"),
        (lambda d: d["contacts"][3].pop("force"), r"contacts\[3\].force: is missing"),
        (lambda d: d["bodies"][1].pop("wrench"), r"bodies\[1\].wrench: is missing"),
        (lambda d: d["contacts"][0].update(a=9), "contacts"),
        (lambda d: d["contacts"][0].update(normal=[0, 0, 3]), "normal"),
        (lambda d: d["contacts"][0].update(force=[0, 0]), "forces"),
    ]:
        data = stack()
        spoil(data)
        file.write_text(json.dumps(data))
        with pytest.raises(st.InputError, match=words):
            st.audit_file(file)
    file.write_text("{")
    with pytest.raises(st.InputError) as caught:
        st.audit_file(file)
    assert (caught.value.file, caught.value.line) == (str(file), 1)
