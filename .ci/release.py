#!/usr/bin/env python3
"""Builds what is published, and tries it in an empty folder.

    python .ci/release.py            # into target/dist
    python .ci/release.py --dry-run  # what would be built

| file | what |
| --- | --- |
| `*.crate` | the crates, as `cargo package` makes them |
| `*.whl` | the Python package, with the command in it |
| `stiction` | the command, without symbols |
| `sbom.cdx.json` | every crate that is part of it, with version, licence and checksum (CycloneDX 1.5) |
| `SHA256SUMS` | checksums of all of these |
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
DIST = TARGET / "dist"


def run(*command, **more):
    """Runs a command; its output, if it is wanted; ends where it fails."""
    words = [str(word) for word in command]
    print("$", " ".join(words), flush=True)
    done = subprocess.run(words, check=False, **more)
    if done.returncode:
        sys.exit(f"{words[0]} ended with code {done.returncode}")
    return done.stdout


def check_version():
    """The version, which the changelog and the citation have, too."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text():
        sys.exit(f"CITATION.cff: its version is not {version}")
    if f"\n## [{version}]" not in (ROOT / "CHANGELOG.md").read_text():
        print(f"CHANGELOG.md has no section for {version}: fine for a rehearsal, not for a release")
    return version


def crates():
    """Packages every crate."""
    run("cargo", "package", "--workspace", "--no-verify", "--allow-dirty", cwd=ROOT)
    for path in sorted((TARGET / "package").glob("stiction*.crate")):
        shutil.copy2(path, DIST)


def binary():
    """The command, without symbols."""
    run("cargo", "build", "--release", "--locked", "--bin", "stiction", cwd=ROOT)
    copy = DIST / "stiction"
    shutil.copy2(TARGET / "release" / "stiction", copy)
    run("strip", copy)
    return copy


def wheel():
    """The Python package."""
    run(sys.executable, ROOT / "crates/stiction-py/build.py", "--no-test", cwd=ROOT)
    (found,) = (TARGET / "wheels").glob("*.whl")
    return Path(shutil.copy2(found, DIST))


def bill_of_materials(version):
    """Every crate that the command is built of."""
    words = ["--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"]
    about = json.loads(run("cargo", "metadata", *words, cwd=ROOT, stdout=subprocess.PIPE))
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(it["name"], it["version"]): it.get("checksum") for it in lock}
    packages = {it["id"]: it for it in about["packages"]}
    needs = {it["id"]: [d["pkg"] for d in it["deps"] if any(k["kind"] is None for k in d["dep_kinds"])]
             for it in about["resolve"]["nodes"]}
    root = next(key for key, it in packages.items() if it["name"] == "stiction-cli")
    seen, waiting = set(), [root]
    while waiting:
        key = waiting.pop()
        if key not in seen:
            seen.add(key)
            waiting += needs[key]
    parts = []
    for it in sorted((packages[key] for key in seen), key=lambda it: (it["name"], it["version"])):
        part = {"type": "library", "name": it["name"], "version": it["version"],
                "purl": f"pkg:cargo/{it['name']}@{it['version']}",
                "licenses": [{"expression": it["license"] or "NOASSERTION"}]}
        if checksum := sums.get((it["name"], it["version"])):
            part["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        parts.append(part)
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": {"type": "application", "name": "stiction", "version": version}},
            "components": parts}
    (DIST / "sbom.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")
    print(f"{len(parts)} crates in sbom.cdx.json")


def try_out(command, package):
    """Command and package in an empty folder, far from the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        bare = {"PATH": "/usr/bin:/bin", "HOME": folder}
        run(command, "--version", cwd=folder, env=bare)
        run(command, "run", cwd=folder, env=bare, stdout=subprocess.DEVNULL)
        run(command, "solve", cwd=folder, env=bare, stdout=subprocess.DEVNULL)
        venv.create(Path(folder) / "env", with_pip=True)
        python = Path(folder) / "env/bin/python"
        run(python, "-m", "pip", "install", "--quiet", package, cwd=folder)
        run(python, "-c", "import stiction; print(stiction.__version__)", cwd=folder)
        run(Path(folder) / "env/bin/stiction", "--version", cwd=folder, env=bare)


def checksums():
    """SHA-256 of everything."""
    files = sorted(path for path in DIST.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / "SHA256SUMS").write_text("".join(lines))
    print("".join(lines), end="")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--dry-run", action="store_true", help="check the version, list the crates")
    given = words.parse_args()
    version = check_version()
    print(f"Stiction {version}")
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir(parents=True)
    if given.dry_run:
        bill_of_materials(version)
        return
    crates()
    command, package = binary(), wheel()
    bill_of_materials(version)
    try_out(command, package)
    checksums()
    print(f"all in {DIST}")


if __name__ == "__main__":
    main()
