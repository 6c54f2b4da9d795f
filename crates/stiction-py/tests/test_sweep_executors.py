"""Sweeps in processes, Dask and Ray give the same file; shards and kills lose and double nothing."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import stiction as st

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from sweep_case import slide, slow  # noqa: E402

#: 1,000 cases, of which some raise.
GRID = {"x": range(40), "y": range(25)}
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ending():
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return "jsonl"
    return "parquet"


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The file of a sweep in threads, and its hash."""
    path = tmp_path_factory.mktemp("threads") / f"table.{ending()}"
    table = st.sweep(slow, GRID, out=path)
    assert len(table) == 1000 and 0 < len(table.failed) < 50
    return digest(path)


@pytest.fixture(scope="module")
def physics(tmp_path_factory):
    """The same of simulations."""
    path = tmp_path_factory.mktemp("threads") / "slide.jsonl"
    st.sweep(slide, {"friction": [0.2, 0.5], "speed": [0.5, 1.0, 1.5]}, out=path)
    return digest(path)


def check(executor, tmp_path, expected, physics):
    path = tmp_path / f"table.{ending()}"
    st.sweep(slow, GRID, executor=executor, out=path)
    assert digest(path) == expected
    path = tmp_path / "slide.jsonl"
    st.sweep(slide, {"friction": [0.2, 0.5], "speed": [0.5, 1.0, 1.5]}, executor=executor, out=path)
    assert digest(path) == physics


def test_processes(tmp_path, expected, physics):
    import multiprocessing

    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        check(executor, tmp_path, expected, physics)


def test_dask(tmp_path, expected, physics, monkeypatch):
    distributed = pytest.importorskip("dask.distributed", reason="dask[distributed] is not installed")
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        check(client, tmp_path, expected, physics)
        assert st.sweep(slow, {"x": [1], "y": [2]}, executor=st.executors.dask(client)).rows[0]["sum"] == 3


def test_ray(tmp_path, expected, physics):
    pytest.importorskip("ray", reason="ray is not installed")
    runtime = {"env_vars": {"PYTHONPATH": ENVIRONMENT["PYTHONPATH"]}}
    with st.executors.ray(num_cpus=2, runtime_env=runtime) as executor:
        check(executor, tmp_path, expected, physics)


def test_shards_meet_in_the_same_file(tmp_path, expected):
    path = tmp_path / f"table.{ending()}"
    for index in (3, 1, 2):
        with pytest.raises(st.InputError, match="missing") if index != 3 else pytest.raises(st.InputError):
            st.merge(path)
        part = st.sweep(slow, GRID, out=path, shard=(index, 3))
        assert len(part) in (333, 334) and not path.exists()
    merged = st.merge(path)
    assert len(merged) == 1000 and digest(path) == expected
    assert list(tmp_path.iterdir()) == [path]
    for shard in [(0, 3), (4, 3), (1,), "ab", (1.5, 2)]:
        with pytest.raises(st.InputError, match="shard"):
            st.sweep(slow, GRID, out=path, shard=shard)
    with pytest.raises(st.InputError, match="out"):
        st.sweep(slow, GRID, shard=(1, 2))


DRIVER = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import stiction as st
from sweep_case import slow

if __name__ == "__main__":
    pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    st.sweep(slow, {"x": range(40), "y": range(50), "pause": [0.002]}, executor=pool, out=sys.argv[1])
"""


def workers(pid):
    """The workers that a process started; not the process that cleans up after them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (OSError, ValueError, IndexError):
            pass
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="kills processes by their numbers")
def test_twenty_kills_of_drivers_and_workers_lose_and_double_nothing(tmp_path):
    path, script = tmp_path / "table.jsonl", tmp_path / "driver.py"
    script.write_text(textwrap.dedent(DRIVER))
    command = [sys.executable, str(script), str(path)]
    draw, killed = random.Random(5), []
    while len(killed) < 20:
        driver = subprocess.Popen(command, env=ENVIRONMENT, start_new_session=True, stderr=subprocess.DEVNULL)
        parts = Path(f"{path}.parts")
        deadline = time.monotonic() + 60
        before = count = len(list(parts.glob("0*.json"))) if parts.exists() else 0
        while driver.poll() is None and count <= before and time.monotonic() < deadline:
            time.sleep(0.01)
            count = len(list(parts.glob("0*.json"))) if parts.exists() else 0
        time.sleep(draw.uniform(0, 0.05))
        alive = workers(driver.pid)
        victim = draw.choice(alive) if len(killed) % 2 and alive else driver.pid
        if driver.poll() is None:
            try:
                os.kill(victim, signal.SIGKILL)
                killed.append("worker" if victim != driver.pid else "driver")
            except ProcessLookupError:
                pass
        code = driver.wait(timeout=60)
        assert code != 0, f"it was done after {len(killed)} kills"
        try:
            os.killpg(driver.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    assert {"driver", "worker"} == set(killed)
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    clean = tmp_path / "clean.jsonl"
    st.sweep(slow, {"x": range(40), "y": range(50), "pause": [0.002]}, out=clean)
    assert digest(path) == digest(clean)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["clean.jsonl", "driver.py", "table.jsonl"]
