"""Statics from Python: verdicts, margins, mechanisms, certificates, batches."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import stiction as st

ROOT = Path(__file__).parents[3]
GALLERY = ROOT / "corpus/assemblies"

VERDICTS = {
    "arch_falls": "cannot stand",
    "stack_falls": "cannot stand",
    "ladder_slips": "cannot stand",
    "peg": "need not stand",
}


def stack(offsets, friction=0.5):
    """Bricks of 0.2 m on each other."""
    blocks = [{"name": "ground", "box": (4, 4, 0.1), "centre": (0, 0, -0.05), "fixed": True}]
    for k, x in enumerate(offsets):
        blocks.append({"name": f"b{k}", "box": (0.2, 0.1, 0.1), "centre": (x, 0, 0.1 * k + 0.05), "density": 1000})
    return st.Assembly(blocks, friction=friction, name="stack")


def box_on_ground(friction):
    world = st.World()
    world.add_ground(friction=friction)
    world.add_box("box", size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05))
    return world


def test_a_world_stands_and_says_how_far_it_can_be_tilted():
    verdict = st.stands(box_on_ground(0.3))
    assert verdict and verdict.name == "must stand" and verdict.can_stand is True
    on_box = np.where(verdict.assembly.contacts["first"] == 1, 1, -1)
    assert on_box @ verdict.forces == pytest.approx([0, 0, 9.81]) and verdict.mechanism is None
    # It slides at μ towards x, and topples at half the width over half the height towards y.
    assert verdict.assembly.tilt((1, 0, 0)).value == pytest.approx(0.3, rel=1e-9)
    tall = st.World()
    tall.add_ground(friction=0.9)
    tall.add_box("box", size=(0.1, 0.2, 0.4), mass=1.0, position=(0, 0, 0.2))
    margin = st.Assembly.of(tall).tilt((1, 0, 0))
    assert margin.value == pytest.approx(0.25, rel=1e-9) and float(margin) == margin.value
    assert margin.at_least <= 0.25 + 1e-12 and margin.at_most >= 0.25 - 1e-12
    assert margin.mechanism.moving == ("box",) and margin.mechanism.hinges == 1


@pytest.mark.skipif(not GALLERY.exists(), reason="the gallery is not there")
@pytest.mark.parametrize("path", sorted(GALLERY.glob("*.json")), ids=lambda path: path.stem)
def test_the_gallery_has_its_verdicts_and_certificates_are_accepted(path):
    friction = 0.7 if "compas" in path.stem or "blockmodel" in path.stem else None
    assembly = st.Assembly.read(path, friction=friction)
    verdict = assembly.stands()
    assert bool(verdict) == (VERDICTS.get(path.stem) != "cannot stand"), (path, verdict)
    if path.stem in VERDICTS:
        assert verdict.name == VERDICTS[path.stem]
    if not verdict:
        assert verdict.forces is None and verdict.motion.shape == (len(assembly.blocks), 6)
        assert verdict.mechanism.moving
    certificate = verdict.certificate()
    claims, imbalance = assembly.check(certificate)
    assert claims >= 1 and imbalance < 1e-6
    with pytest.raises(st.InputError):
        assembly.check(certificate.replace('"digest": "', '"digest": "0'))
    assert "<svg" in verdict.svg() and verdict.name in verdict._repr_html_()


def test_margins_are_those_of_statics():
    ladder = GALLERY / "ladder_holds.json"
    if ladder.exists():
        # ½ cot 60° over the coefficient of the floor, 0.3.
        margin = st.Assembly.read(ladder).least_friction()
        assert margin.value == pytest.approx(0.5 / np.tan(np.radians(60)) / 0.3, rel=1e-8)
    blocks = [
        {"name": "ground", "box": (4, 4, 0.2), "centre": (0, 0, -0.1), "fixed": True},
        {"name": "box", "box": (0.4, 0.4, 0.4), "centre": (0, 0, 0.2), "mass": 10.0},
    ]
    pushed = st.Assembly(blocks, friction=0.25, load=[{"block": "box", "force": (1.0, 0, 0)}])
    factor = pushed.load_factor()
    assert factor.value == pytest.approx(0.25 * 98.1, rel=1e-9)
    verdict = pushed.stands()
    claims, _ = pushed.check(verdict.certificate(factor, pushed.tilt((0, 1, 0))))
    assert claims >= 5
    low, high = pushed.force_range(0)
    assert low == pytest.approx(98.1, rel=1e-6) and high == pytest.approx(98.1, rel=1e-6)
    free = pushed.tilt((0, 0, 1))
    assert np.isnan(free.value) or free.unbounded or free.value >= 0
    with pytest.raises(st.InputError, match="another assembly"):
        stack([0.0]).stands().certificate(factor)


def test_overhangs_of_harmonic_stacks():
    # The largest overhang: 1/2 (1 + 1/2 + 1/3 + …) of a brick; just more falls.
    for excess, holds in [(-1e-6, True), (1e-6, False)]:
        steps = [0.1 / (3 - k) for k in range(3)]
        offsets = np.concatenate([[0], np.cumsum(steps)]) * (1 + excess)
        assert bool(st.stands(stack(offsets), must=False, need_not=False)) == holds


def test_a_thousand_stacks_at_once():
    draw = np.random.default_rng(2)
    many = [stack(np.cumsum(draw.uniform(-0.12, 0.12, 3))) for _ in range(1000)]
    verdicts = st.stands_all(many, need_not=False)
    for verdict in verdicts:
        x = np.array([block["centre"][0] for block in verdict.assembly.description["blocks"][1:]])
        # Every part above a joint has its centre above the brick below.
        margin = min(0.1 - abs(x[k + 1 :].mean() - x[k]) for k in range(len(x) - 1))
        assert abs(margin) < 1e-6 or verdict.can_stand == (margin > 0), (x, verdict)
    assert 100 < sum(map(bool, verdicts)) < 900


def test_pickles_contacts_and_descriptions():
    assembly = stack([0.0, 0.05])
    twin = pickle.loads(pickle.dumps(assembly))
    assert twin.blocks == assembly.blocks == ["ground", "b0", "b1"] and twin.to_json() == assembly.to_json()
    contacts = assembly.contacts
    assert len(contacts) == 8 and (contacts["friction"] == 0.5).all() and assembly.floating == []
    assert np.abs(contacts["normal"]).max(axis=0) == pytest.approx([0, 0, 1])
    assert "stack" in repr(assembly) and "must stand" in repr(assembly.stands())


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: st.Assembly([], friction=0.5), "blocks|support"),
        (lambda: st.Assembly([3], friction=0.5), r"blocks\[0\]"),
        (lambda: st.Assembly([{"box": (1, 1, float("nan"))}], friction=0.5), "finite"),
        (lambda: st.Assembly([{"box": (1, 1, 1), "wings": 2}], friction=0.5), "wings"),
        (lambda: stack([0.0], friction=-1), "friction"),
        (lambda: stack([0.0]).tilt("x"), "direction"),
        (lambda: stack([0.0]).tilt((1, 2)), "direction"),
        (lambda: stack([0.0]).force_range(99), "interface"),
        (lambda: stack([0.0]).force_range(True), "interface"),
        (lambda: st.stands(7), "world"),
        (lambda: st.stands_all([stack([0.0]), 3]), "world"),
        (lambda: st.Assembly.read("nowhere.json"), "nowhere"),
        (lambda: stack([0.0]).check("{}"), "certificate|missing|format"),
        (lambda: st.Assembly.of(st.World()), "fixed"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(st.InputError, match=words):
        call()
