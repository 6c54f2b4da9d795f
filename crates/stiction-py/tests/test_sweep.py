"""Sweeps: order, executors, interruptions, failures."""

import math
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import stiction as st


def slide(friction, speed):
    """How far a box slides."""
    if friction == 0:
        raise ValueError("it never stops")
    world = st.World()
    world.add_ground(friction=friction)
    world.add_box("box", size=(0.2, 0.1, 0.1), mass=1, position=(0, 0, 0.05), velocity=(speed, 0, 0))
    sim = st.Simulation(world, dt=0.02, until=1).run()
    return {"far": sim.position("box")[0], "holds": sim.certificate.holds}


GRID = {"friction": np.array([0.0, 0.5, 0.8]), "speed": [0.5, 1.0]}


def test_a_grid_is_swept_and_failures_are_rows(tmp_path):
    table = st.sweep(slide, GRID)
    assert len(table) == 6 and len(table.failed) == 2
    assert table.failed[0]["error"] == "ValueError: it never stops"
    assert table["speed"].tolist() == [0.5, 1.0] * 3
    for row in table.rows[2:]:
        assert row["holds"] and row["far"] == pytest.approx(
            row["speed"] ** 2 / (2 * 9.81 * row["friction"]), rel=1e-4
        )
    assert list(table.to_pandas().columns) == ["friction", "speed", "error", "far", "holds"]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_file_does_not_depend_on_the_executor(tmp_path, ending):
    files = [tmp_path / f"{i}.{ending}" for i in range(3)]
    st.sweep(slide, GRID, out=files[0])
    with ThreadPoolExecutor(1) as one:
        st.sweep(slide, GRID, executor=one, out=files[1])
    import multiprocessing

    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as two:
        st.sweep(slide, GRID, executor=two, out=files[2])
    assert len({file.read_bytes() for file in files}) == 1
    assert list(tmp_path.glob("*.parts")) == []


def test_a_sweep_that_is_killed_goes_on_where_it_was(tmp_path):
    script = tmp_path / "case.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys, time
            import stiction as st

            def case(x):
                with open("ran", "a") as log:
                    log.write(f"{x}\\n")
                time.sleep(0.01)
                return {"square": x * x}

            st.sweep(case, {"x": range(60)}, out="squares.csv")
            """
        )
    )
    for moment in [0.05, 0.15, 0.25, 0.1]:
        child = subprocess.Popen([sys.executable, script], cwd=tmp_path)
        while not (tmp_path / "ran").exists() and child.poll() is None:
            time.sleep(0.01)
        time.sleep(moment)
        child.kill()
        child.wait()
    assert subprocess.run([sys.executable, script], cwd=tmp_path).returncode == 0
    lines = (tmp_path / "squares.csv").read_text().split()
    assert lines == ["x,square"] + [f"{x},{x * x}" for x in range(60)]
    ran = (tmp_path / "ran").read_text().split()
    assert len(ran) < 60 + 4 * (2 * (math.ceil(len(ran) / 60)) + 32)


def test_unknown_endings_are_refused(tmp_path):
    with pytest.raises(st.InputError, match="csv"):
        st.sweep(slide, GRID, out=tmp_path / "table.xls")
