"""The examples run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
NEEDS = {"audit_mujoco": ["mujoco", "matplotlib"], "block_stacking": ["gymnasium"]}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example, tmp_path):
    for package in NEEDS.get(example.stem, ["matplotlib"]):
        pytest.importorskip(package, reason=f"{package} is not installed")
    environment = {**os.environ, "MPLBACKEND": "agg"}
    command = [sys.executable, example]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_there_are_examples():
    assert len(EXAMPLES) >= 6
    for example in EXAMPLES:
        notebook = example.parent / "notebooks" / f"{example.stem}.ipynb"
        assert notebook.exists(), f"{notebook}: python notebooks.py --write {example.stem}"
