#!/usr/bin/env python3
"""Builds the wheel, installs it into an empty environment and tests it there: one command.

    python crates/stiction-py/build.py              # wheel, tests, types
    python crates/stiction-py/build.py --no-test    # the wheel alone, in target/wheels
"""

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOOLS = ROOT / "target" / "python-tools"
TESTED = ROOT / "target" / "python-tested"


def run(*command: object, **more: object) -> None:
    """Runs a command and ends with its exit code if it fails."""
    words = [str(word) for word in command]
    print("$", " ".join(words), flush=True)
    code = subprocess.run(words, **more).returncode  # type: ignore[call-overload]
    if code:
        sys.exit(code)


def environment(folder: Path, *packages: object, clear: bool = False) -> Path:
    """An environment with these packages; its folder of programs."""
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    if clear or not programs.exists():
        venv.create(folder, with_pip=True, clear=True)
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, *packages)
    return programs


def target() -> Path:
    """The folder that cargo builds in."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--no-test", action="store_true", help="only build the wheel")
    words.add_argument("--cargo", default="cargo", help="the program that builds the command stiction")
    given = words.parse_args()
    run(given.cargo, "build", "--release", "-p", "stiction-cli", cwd=ROOT)
    scripts = HERE / "stiction.data" / "scripts"
    scripts.mkdir(parents=True, exist_ok=True)
    program = "stiction.exe" if os.name == "nt" else "stiction"
    shutil.copy2(target() / "release" / program, scripts / program)
    tools = environment(TOOLS, "maturin>=1.9,<2")
    wheels = ROOT / "target" / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    path = os.pathsep.join([str(tools), os.environ.get("PATH", "")])
    maturin = [tools / "maturin", "build", "--release", "--out", wheels]
    run(*maturin, cwd=HERE, env={**os.environ, "PATH": path})
    wheel = next(wheels.glob("stiction-*.whl"))
    print(wheel)
    if given.no_test:
        return
    tested = environment(TESTED, wheel, "pytest", "mypy", "pandas", "pandas-stubs", "mujoco", clear=True)
    run(tested / "stiction", "--version", cwd=TESTED)
    run(tested / "python", "-m", "mypy", "--config-file", HERE / "pyproject.toml", cwd=HERE)
    run(tested / "python", "-m", "pytest", "-q", HERE / "tests", cwd=TESTED)


if __name__ == "__main__":
    main()
