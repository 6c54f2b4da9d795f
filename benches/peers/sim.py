#!/usr/bin/env python3
"""Our steppers on scenes with known answers, beside other engines measured on the same scenes.

    sim.py ADAPTER PEERS [--scenes 01,05] [--only event-driven] [--budget 60] [--csv FILE] [--docs FILE]
    sim.py ADAPTER PEERS --family ladder:0.999:1.001
    sim.py PEERS --read FILE [--docs FILE]

ADAPTER is target/release/examples/sim (cargo build --release -p stiction --example sim). PEERS is the folder with
scenes.py (scenes and measures), score.py (the bars) and results.csv (what other engines did); beside the checkout it is
../shared/peers/sim. --csv keeps what was measured (scenes that are not run again stay as they were), --read takes it up
again without running anything, --docs writes the page docs/engines.md from it. All at once:

    sim.py target/release/examples/sim ../shared/peers/sim --csv benches/peers/sim.csv --docs docs/engines.md

Needs Python 3.9 or later with numpy and scipy, which scenes.py imports.
"""
import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

STEPPERS = ["event-driven", "time-stepping"]
COLUMNS = ["stepper", "scene", "metric", "value", "unit", "truth"]

# Measured through an adapter that those who wrote it do not trust: in the list of scores, not in best and median.
DISTRUSTED = {"siconos"}

# A run that ended this far before its time has no verdict, as for the other engines.
ENOUGH = 0.9

# Families of scenes with a limit, and their classes in scenes.py.
FAMILIES = {"arch": "Arch", "ladder": "Ladder", "overhang": "Harmonic"}

# A measure whose truth is not exact, and the same with a truth that is: the rod of 08 does not turn about a point, it
# rolls on a tip of 1 mm.
MENDED = {("08_painleve_mu2", "omega_err_pct"): "omega_rolling_err_pct"}

# What the scenes of a number are, and where the truth comes from.
SCENES = [
    ("01", "a block on an incline at 0.999 to 1.5 of the friction angle, also at an angle to the axes", "rest, or `g (sin θ − μ cos θ)`"),
    ("02", "a block slides to a stop", "`v² / 2 μ g`"),
    ("03", "a table on three and on four feet, its centre of mass off the middle", "lever rule; for four feet equilibrium"),
    ("04", "a heavy block on a light one, mass ratios 1e3 and 1e6; ten blocks", "rest"),
    ("05", "bricks stacked to 0.99 to 1.01 of the greatest overhang", "harmonic series"),
    ("06", "an arch of 17 stones, 0.98 to 1.10 of the minimum thickness", "limit analysis by linear programming"),
    ("07", "balls in a row; a heavy ball on a light one on the ground", "momentum and energy; Baraff 1989, figure 12"),
    ("08", "a rod that slides and jams (Painlevé)", "the impulse computed by hand; energy cannot grow"),
    ("09", "a chain of ten links with a ball of 1000 kg", "energy is conserved"),
    ("10", "twenty dominoes", "all fall"),
    ("11", "a bowling ball slides until it rolls", "`5/7 v`, and the distance until then"),
    ("13", "a free body that rotates about its intermediate axis", "an integration with a step of 1e-5 s"),
    ("14", "a ladder at a wall, at 0.95 to 1.05 of the critical angle", "limit analysis"),
    ("15", "a wall of 104, 1012 and 5025 bricks; piles of 100 and 1000 boxes", "walls rest; piles have no known final state"),
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adapter", nargs="?", help="target/release/examples/sim; not needed with --read")
    parser.add_argument("peers", help="folder with scenes.py, score.py and results.csv")
    parser.add_argument("--scenes", default="", help="only scenes whose names begin so, separated by commas")
    parser.add_argument("--only", default=",".join(STEPPERS), help="steppers, separated by commas")
    parser.add_argument("--family", default="", help="runs a family near its limit, arch:0.99:1.01, and keeps nothing")
    parser.add_argument("--budget", type=float, default=60.0, help="CPU seconds per scene")
    parser.add_argument("--csv", default="", help="where to keep what was measured")
    parser.add_argument("--read", default="", help="what was measured before; runs nothing")
    parser.add_argument("--docs", default="", help="where to write the page")
    given = parser.parse_args()
    if not given.read and not given.adapter:
        parser.error("an ADAPTER to run, or --read a file")
    return given


# Running.


def run_all(given, scenes, path):
    """Runs every requested stepper and scene and keeps what they gave, one after the other."""
    prefixes = tuple(given.scenes.split(",")) if given.scenes else ("",)
    names = [name for name in scenes.SC if name.startswith(prefixes)]
    for stepper in given.only.split(","):
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                reported = run_one(given, scenes, scenes.SC[name], stepper, os.path.join(folder, name))
            print(stepper, name, shown(reported), flush=True)
            keep(path, stepper, name, reported)


def run_family(given, scenes):
    """Runs members of a family of scenes, each at a given multiple of its limit: does it stand?"""
    family, *factors = given.family.split(":")
    for stepper in given.only.split(","):
        for factor in factors:
            scene = getattr(scenes, FAMILIES[family])(f"{family}_{factor}", float(factor))
            with tempfile.TemporaryDirectory() as folder:
                reported = run_one(given, scenes, scene, stepper, os.path.join(folder, scene.name))
            print(stepper, scene.name, shown(reported), flush=True)


def run_one(given, scenes, scene, stepper, prefix):
    """What one run gave: metric to (value, unit, truth)."""
    built = scene.build()
    with open(prefix + ".scene.json", "w") as file:
        json.dump(built, file)
    command = [given.adapter, prefix + ".scene.json", prefix, stepper, str(given.budget)]
    try:
        process = subprocess.run(command, capture_output=True, timeout=3 * given.budget)
    except subprocess.TimeoutExpired:
        return {"_status": ("timeout", "", "")}
    if process.returncode != 0 or not os.path.exists(prefix + ".json"):
        why = process.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return {"_status": (" ".join(["failed", *why]), "", "")}
    result = scenes.Res(built, prefix)
    meta = result.meta
    reported = verdict(scene, result, built["T"])
    reported["steps"] = (meta["steps"], "", math.nan)
    reported["cpu_s_per_sim_s"] = (result.wall / max(meta["t_end"], 1e-9), "s/s", math.nan)
    reported["uncertified_steps"] = (meta["uncertified_steps"], "", 0)
    reported["fell_back"] = (meta["fell_back"], "", math.nan)
    reported["worst_residual"] = (meta["worst_residual"], "", 0)
    reported["book_error"] = (meta["book_error"], "", 0)
    return reported


def verdict(scene, result, until):
    """The scene's own measures, by the rules that hold for the other engines."""
    if not result.finite:
        return {"_status": ("not finite", "", "")}
    note = result.meta["note"]
    ended = "budget" not in note or result.meta["t_end"] >= ENOUGH * until
    reported = {} if ended else {"_status": (note, "", "")}
    if ended or scene.name.startswith("15"):
        try:
            reported.update(scene.evaluate(result))
            if scene.name == "08_painleve_mu2":
                reported["omega_rolling_err_pct"] = (rolling_error(scene, result), "%", 0.0)
        except ValueError as error:  # too few frames to measure
            reported["_status"] = (note or str(error), "", "")
    return reported


def rolling_error(scene, result):
    """How far the spin of the rod of 08 is from that of a rod that rolls on its tip (%), when its own measure is taken.

    With θ from the ground and radius r of the tip, T = ½ M(θ) ω², M = I + m (1 + r² + 2 r sin θ), V = m g sin θ.
    """
    gravity, radius = -result.sc["gravity"][2], scene.rr
    index = min(range(len(result.t)), key=lambda i: abs(result.t[i] - 0.025))
    cosine, sine = scene.geo()
    steps = 1000
    step = result.t[index] / steps

    def rate(angle, omega):
        inertia = 1 / 3 + 1 + radius**2 + 2 * radius * math.sin(angle)
        return omega, -math.cos(angle) * (gravity + radius * omega**2) / inertia

    angle, omega = math.atan2(sine, cosine), scene.truth()[1]
    for _ in range(steps):
        a1, o1 = rate(angle, omega)
        a2, o2 = rate(angle + step / 2 * a1, omega + step / 2 * o1)
        a3, o3 = rate(angle + step / 2 * a2, omega + step / 2 * o2)
        a4, o4 = rate(angle + step * a3, omega + step * o3)
        angle += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        omega += step / 6 * (o1 + 2 * o2 + 2 * o3 + o4)
    return 100 * (-result.w(1)[index][1] - omega) / abs(omega)


def mended(bars):
    """The bars with exact truths."""
    return [(scene, MENDED.get((scene, metric), metric), limit) for scene, metric, limit in bars]


def shown(reported):
    return "; ".join("%s=%s" % (k, v if isinstance(v, str) else "%.3g" % v) for k, (v, *_) in reported.items())


# Keeping and reading.


def keep(path, stepper, scene, reported):
    """Writes what a run gave in place of what an earlier one did."""
    with open(path, newline="") as file:
        rows = [row for row in list(csv.reader(file))[1:] if row[:2] != [stepper, scene]]
    rows += [[stepper, scene, metric, *measured] for metric, measured in reported.items()]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(sorted(rows, key=lambda row: row[:2]))


class Measured:
    """What runs gave, ours or other engines': who ran what, and how far off it was."""

    def __init__(self):
        self.values = {}  # (who, scene, metric) to (value, truth)
        self.ran = {}  # who to scenes
        self.versions = {}  # engine to version
        self.steps = {}  # who to step (s)

    def add(self, who, row):
        self.ran.setdefault(who, set()).add(row["scene"])
        try:
            measured = float(row["value"]), float(row["truth"] or "nan")
        except ValueError:
            return
        self.values[who, row["scene"], row["metric"]] = measured

    def value(self, who, scene, metric):
        return self.values.get((who, scene, metric), (math.nan, math.nan))[0]

    def error(self, who, scene, metric):
        """Distance from the truth; infinite where there is no answer, nothing where it was never run."""
        if scene not in self.ran.get(who, ()):
            return None
        value, truth = self.values.get((who, scene, metric), (math.nan, math.nan))
        return abs(value - truth) if math.isfinite(value - truth) else math.inf

    def score(self, who, bars):
        """Measures within their bars, and those run."""
        errors = [(self.error(who, scene, metric), limit) for scene, metric, limit in bars]
        run = [(error, limit) for error, limit in errors if error is not None]
        return sum(error <= limit for error, limit in run), len(run)


def read_ours(path):
    ours = Measured()
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            ours.add(row["stepper"], row)
    return ours


def read_peers(path):
    peers = Measured()
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            who = row["engine"] + "/" + row["variant"]
            peers.add(who, row)
            if row["dt"]:
                peers.steps[who] = float(row["dt"])
                peers.versions[row["engine"]] = row["version"]
            if row["cpu_s_per_sim_s"]:
                cpu = {"scene": row["scene"], "metric": "cpu_s_per_sim_s", "value": row["cpu_s_per_sim_s"], "truth": ""}
                peers.add(who, cpu)
    return peers


# Reports.


def print_report(ours, steppers, bars):
    """Scores and misses, on the terminal."""
    for stepper in steppers:
        for scene, metric, limit in bars:
            error = ours.error(stepper, scene, metric)
            if error is not None and not error <= limit:
                value, truth = ours.values.get((stepper, scene, metric), (math.nan, math.nan))
                print("missed: %s %s %s = %s, should be %s ± %g" % (stepper, scene, metric, value, truth, limit))
        print("%d of %d run (%d in all)  %s" % (*ours.score(stepper, bars), len(bars), stepper))
    print("%d by one or the other" % either(ours, steppers, bars))
    print("%d with the tip of the rod of 08 in its truth" % either(ours, steppers, mended(bars)))


def either(ours, steppers, bars):
    def holds(scene, metric, limit):
        errors = (ours.error(stepper, scene, metric) for stepper in steppers)
        return any(error is not None and error <= limit for error in errors)

    return sum(holds(*bar) for bar in bars)


def page(ours, peers, bars, command):
    """docs/engines.md."""
    steppers = [stepper for stepper in STEPPERS if stepper in ours.ran]
    trusted = [who for who in sorted(peers.ran) if who.split("/")[0] not in DISTRUSTED]
    parts = [
        opening(bars, command),
        score_table(ours, peers, steppers, bars),
        scene_table(),
        bar_table(ours, peers, steppers, trusted, bars),
        cost_table(ours, peers, steppers, trusted),
        reading(peers),
    ]
    return "\n\n".join(parts) + "\n"


def table(head, rows, right=()):
    rule = ["---:" if i in right else "---" for i in range(len(head))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *rows])


def opening(bars, command):
    return f"""<!-- written by benches/peers/sim.py; do not edit by hand -->
# Other engines on scenes with known answers

This page compares our two steppers, with no setting changed for any scene, with other engines, each with its defaults and
with settings tuned for accuracy. All run the same scenes and are measured in the same way from recorded states.
{len(bars)} measures have a *bar*: the largest error that an exact solver with a second-order step of 1/240 s may have. These
commands write the page:

```sh
cargo build --release -p stiction --example sim
{command}
```

The reference value of scene 08 assumes that the rod turns about a point; in fact it rolls on a tip of 1 mm, which makes a
difference of 0.00755 %. The scores use the reference value unchanged; in the last row of the measures it includes the tip.
`docs/stepping.md` says what the steppers do and guarantee."""


def score_table(ours, peers, steppers, bars):
    entries = [(*ours.score(who, bars), "**stiction " + who + "**", 1 / 240) for who in steppers]
    entries += [(*peers.score(who, bars), who, peers.steps.get(who)) for who in peers.ran]
    entries = sorted((e for e in entries if e[1] > 0), key=lambda e: (-e[0], e[1], e[2]))
    rows = [[who, str(hit), str(run), "1/%.0f" % (1 / dt) if dt else "–"] for hit, run, who, dt in entries]
    head = ["engine and variant", "within the bars", "of those run", "step (s)"]
    text = "## Scores\n\n" + table(head, rows, right=(1, 2))
    if len(steppers) > 1:
        text += "\n\nCounting the better of event-driven and time-stepping for each measure: %d." % either(ours, steppers, bars)
        text += "\nWith the tip in the reference value of scene 08: %d." % either(ours, steppers, mended(bars))
        text += "\nA user does not know in advance which of them is better; the two stiction rows of the table are the scores."
    return text


def scene_table():
    head = ["scenes", "what", "reference"]
    return "## Scenes\n\n" + table(head, [list(row) for row in SCENES])


def bar_table(ours, peers, steppers, trusted, bars):
    rows = []
    for scene, metric, limit in bars:
        def reported(error):
            return said(error, limit, metric == "stands")

        errors = {who: peers.error(who, scene, metric) for who in trusted}
        errors = {who: error for who, error in errors.items() if error is not None}
        best = min(errors.values())
        heroes = [who for who, error in errors.items() if error == best]
        others = " and %d more" % (len(heroes) - 1) if len(heroes) > 1 else ""
        within = sum(error <= limit for error in errors.values())
        columns = [reported(ours.error(stepper, scene, metric)) for stepper in steppers]
        columns += ["%s, %s%s" % (reported(best), heroes[0], others), reported(statistics.median_low(errors.values()))]
        rows.append([scene, metric, "%g" % limit, *columns, "%d of %d" % (within, len(errors))])
    limits = {(scene, metric): limit for scene, metric, limit in bars}
    for (scene, metric), exact in MENDED.items():
        limit = limits[scene, metric]
        columns = [said(ours.error(stepper, scene, exact), limit, False) for stepper in steppers]
        rows.append([scene, exact, "%g" % limit, *columns, "not measured", "", ""])
    head = ["scene", "measure", "bar", *steppers, "best peer", "median peer", "peers within"]
    text = "Error against the reference, in the unit at the end of the measure's name\n(`v0`: relative to the initial speed); bold if within the bar."
    return "## Measures\n\n" + text + "\n\n" + table(head, rows, right=(2,))


def said(error, limit, is_yes_or_no):
    if error is None:
        return "not run"
    if error == math.inf:
        return "no answer"
    if is_yes_or_no:
        text = "right" if error <= limit else "wrong"
    else:
        text = "0" if error == 0 else "%.1e" % error if error < 1e-3 or error >= 1e4 else "%.3g" % error
    return "**%s**" % text if error <= limit else text


def cost_table(ours, peers, steppers, trusted):
    rows = []
    for scene in sorted(set().union(*(ours.ran[stepper] for stepper in steppers))):
        costs = [peers.value(who, scene, "cpu_s_per_sim_s") for who in trusted]
        costs = [cost for cost in costs if math.isfinite(cost)]
        columns = [number(ours.value(stepper, scene, "cpu_s_per_sim_s")) for stepper in steppers]
        columns.append(number(statistics.median(costs)) if costs else "–")
        for stepper in steppers:
            steps = ours.value(stepper, scene, "steps")
            if not math.isfinite(steps):
                columns += ["no end", ""]
                continue
            bad = ours.value(stepper, scene, "uncertified_steps")
            columns += ["%d of %d" % (bad, steps), number(ours.value(stepper, scene, "book_error"))]
        falls = ours.value("event-driven", scene, "fell_back")
        rows.append([scene, *columns, "%d" % falls if math.isfinite(falls) else "–"])
    head = ["scene", *("s/s " + stepper for stepper in steppers), "s/s median peer"]
    for stepper in steppers:
        head += ["not certified, " + stepper, "energy error, " + stepper]
    text = """CPU seconds per simulated second; for our runs also the number of steps with an answer that the judge did not certify, the
worst relative energy error (`docs/stepping.md`), and how often event-driven fell back to time-stepping."""
    return "## Cost and certificates\n\n" + text + "\n\n" + table([*head, "fell back"], rows, right=range(1, 9))


def number(value):
    return "%.2g" % value if math.isfinite(value) else "–"


def reading(peers):
    versions = ", ".join("%s (%s)" % pair for pair in sorted(peers.versions.items()) if pair[1])
    return f"""## How to read it

- *Best peer* is the best of all engines and variants for that measure alone: no single engine reaches the whole column.
  *Median peer* counts a run without an answer as an infinite error.
- Variants called `default`, or named after a solver, have the engine's own settings except for a step of 1/240 s, no
  damping, no sleeping, and combination rules that are disabled so that every pair has the friction and restitution of the
  scene. `tuned` variants have a step of 1/960 s and settings that were optimised on these very scenes, with unequal
  effort; the authors of the engines could do better. Our steppers, too, were developed with these scenes available.
- A bar measures exactness, which most of these engines do not aim at: they are designed to be fast, soft or robust. The
  step alone makes a first-order method miss the bars of 02, 11 and some of 01.
- Our steppers do not move islands whose certified motion is zero, so that bodies which should rest can move by exactly 0;
  the other engines ran with sleeping off.
- Where nothing moves, the relative energy error is rounding divided by rounding and has no meaning.
- A scene that did not finish within its CPU time counts as missed; a scene that was never run does not count.
- CPU times come from a shared machine and are accurate to a factor of two. Jolt and PhysX ran as WebAssembly.
- Siconos was run through an adapter that is not trusted; it is in the scores, but not in best and median.
- Rows may come from several runs: a scene that was run again replaces its own rows in `benches/peers/sim.csv`, the others
  keep their earlier measurements.
- The reference value of 08, the rod that jams, neglects the radius of the rod's tip, 1 mm. The exact value for a rolling
  tip differs from it by 0.00755 %, which is more than the bar of 0.001 %; `crates/stiction/tests/closed_forms.rs` tests
  that event-driven stepping gives the exact value. An exact answer is therefore not within this bar.
- In 07a, three touching balls, two answers obey the laws: ours is the simultaneous one, and it has no bar.

Versions: {versions}."""


def command_line():
    """The command that makes the page, as one would type it."""
    return "python3 benches/peers/sim.py target/release/examples/sim ../shared/peers/sim \\\n  --budget 60 --csv benches/peers/sim.csv --docs docs/engines.md"


def main():
    given = arguments()
    sys.path.insert(0, given.peers)
    import score

    if given.read:
        ours = read_ours(given.read)
    else:
        import scenes

        if given.family:
            return run_family(given, scenes)
        with tempfile.NamedTemporaryFile(suffix=".csv") as scratch:
            path = given.csv or scratch.name
            open(path, "a").close()
            run_all(given, scenes, path)
            ours = read_ours(path)
    print_report(ours, [stepper for stepper in STEPPERS if stepper in ours.ran], score.BARS)
    if given.docs:
        peers = read_peers(os.path.join(given.peers, "results.csv"))
        with open(given.docs, "w") as file:
            file.write(page(ours, peers, score.BARS, command_line()))


if __name__ == "__main__":
    main()
