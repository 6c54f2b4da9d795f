"""The examples run."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example, tmp_path):
    if "mujoco" in example.stem:
        pytest.importorskip("mujoco")
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
