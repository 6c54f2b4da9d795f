#!/usr/bin/env python3
"""Do the judge and an independent verifier say the same of our answers?

    agree.py STICTION DATA VERIFIER [--most CONTACTS]

Solves the friction problems of the folder DATA with the command STICTION
(`bench fclib`), has every answer measured by VERIFIER (verify_fc3d.py) and
compares the relative natural maps. Exit code 1 if they differ by more than a
tenth and 1e-13, or if one calls an answer good (1e-8) that the other does not.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

LIMIT, SHARE, ROUNDING = 1e-8, 0.1, 1e-13


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stiction")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("verifier")
    parser.add_argument("--most", type=int, default=10**9, help="largest number of contacts")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as answers:
        command = [arguments.stiction, "bench", "fclib", "--data", arguments.data, "--answers", answers, "--json"]
        command += ["--most", str(arguments.most)]
        table = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        apart = 0
        for case in table["cases"]:
            name, ours = case["problem"], case["natural_map"]
            command = [sys.executable, arguments.verifier, arguments.data / name, f"{answers}/{name}.json", "--json"]
            theirs = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["natmap_rel"]
            same = abs(ours - theirs) <= SHARE * max(ours, theirs) + ROUNDING
            same = same and (ours <= LIMIT) == (theirs <= LIMIT)
            apart += not same
            print(f"{name:<46} {case['contacts']:>5} contacts  ours {ours:.3e}  theirs {theirs:.3e}  {'' if same else 'DIFFER'}")
        cases = len(table["cases"])
        print(f"{cases - apart} of {cases} agree")
        return 1 if apart or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
