#!/usr/bin/env python3
"""Builds the wheel, installs it into an empty environment and tests it there: one command.

    python crates/stiction-py/build.py              # wheel, types, tests, notebooks
    python crates/stiction-py/build.py --no-test    # the wheel alone, in target/wheels
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOOLS = ROOT / "target" / "python-tools"
TESTED = ROOT / "target" / "python-tested"
OLDEST = ROOT / "target" / "python-oldest"

#: What the tests need, and what notebooks need.
NEEDED = ["pytest", "mypy", "pandas", "pandas-stubs", "pyarrow", "mujoco"]
NOTEBOOKS = ["matplotlib", "gymnasium", "nbclient", "nbformat", "ipykernel"]

#: Engines and executors that are tested where they have a wheel.
OPTIONAL = ["dask[distributed]", "ray", "pybullet", "drake"]

#: The least Python that the wheel is for.
LEAST = "3.9"


def run(*command: object, **more: object) -> None:
    """Runs a command and ends with its exit code if it fails."""
    words = [str(word) for word in command]
    print("$", " ".join(words), flush=True)
    code = subprocess.run(words, **more).returncode  # type: ignore[call-overload]
    if code:
        sys.exit(code)


def pip(programs: Path, *arguments: object) -> "list[object]":
    """The command that installs packages."""
    return [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]


def environment(folder: Path, *packages: object, clear: bool = False) -> Path:
    """An environment with these packages; its folder of programs."""
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    if clear or not programs.exists():
        venv.create(folder, with_pip=True, clear=True)
    # In its folder: whatever is left behind is left there.
    run(*pip(programs, *packages), cwd=folder)
    return programs


def try_optional(programs: Path) -> None:
    """Installs what has a wheel for this Python, and says what has none."""
    for package in OPTIONAL:
        command = [str(word) for word in pip(programs, "--only-binary", ":all:", package)]
        done = subprocess.run(command, cwd=programs.parent, capture_output=True, text=True)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
            print(f"skipped: {package}: {reason}", flush=True)


def oldest() -> "str | None":
    """A Python of the least version, if there is one."""
    names = [shutil.which(f"python{LEAST}")]
    names += sorted(map(str, Path.home().glob(f".pyenv/versions/{LEAST}*/bin/python{LEAST}")))
    for name in filter(None, names):
        words = [name, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.stdout.strip() == LEAST:
            return str(name)
    return None


def test_oldest(wheel: Path) -> None:
    """The tests that need no engine, with the least Python; the sweeps in other processes are tested above."""
    python = oldest()
    if python is None:
        print(f"skipped: no Python {LEAST} was found")
        return
    shutil.rmtree(OLDEST, ignore_errors=True)
    run(python, "-m", "venv", OLDEST)
    programs = environment(OLDEST, wheel, "pytest", "pandas")
    run(programs / "python", "-m", "pytest", "-q", HERE / "tests", "-k", "not executors and not examples", cwd=OLDEST)


def target() -> Path:
    """The folder that cargo builds in."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def build(cargo: str) -> Path:
    """The wheel, with the command `stiction`."""
    run(cargo, "build", "--release", "-p", "stiction-cli", cwd=ROOT)
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
    return next(wheels.glob("stiction-*.whl"))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--no-test", action="store_true", help="only build the wheel")
    words.add_argument("--cargo", default="cargo", help="the program that builds the command stiction")
    given = words.parse_args()
    begun = time.monotonic()
    wheel = build(given.cargo)
    print(f"{wheel}, after {time.monotonic() - begun:.0f} s")
    if given.no_test:
        return
    tested = environment(TESTED, wheel, *NEEDED, *NOTEBOOKS, clear=True)
    try_optional(tested)
    run(tested / "stiction", "--version", cwd=TESTED)
    run(tested / "python", "-m", "mypy", "--config-file", HERE / "pyproject.toml", cwd=HERE)
    # The stubs of the compiled part are those of the compiled part.
    run(tested / "python", "-m", "mypy.stubtest", "stiction._core", cwd=TESTED)
    run(tested / "python", "-m", "pytest", "-q", "--durations=5", HERE / "tests", cwd=TESTED)
    run(tested / "python", HERE / "notebooks.py", cwd=TESTED)
    test_oldest(wheel)
    print(f"all of it took {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
