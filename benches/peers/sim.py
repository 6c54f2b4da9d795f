#!/usr/bin/env python3
"""Our steppers on the scenes of ../shared/peers/sim, beside the engines measured there.

    sim.py ADAPTER PEERS [--scenes 01,05] [--only event-driven] [--csv FILE] [--docs FILE]

ADAPTER is target/release/examples/sim, PEERS the folder with scenes.py and results.csv.
"""
import argparse, csv, io, json, math, os, subprocess, sys, tempfile, time

ap = argparse.ArgumentParser()
ap.add_argument("adapter"); ap.add_argument("peers")
ap.add_argument("--scenes", default=""); ap.add_argument("--only", default="event-driven,time-stepping")
ap.add_argument("--csv", default=""); ap.add_argument("--docs", default="")
ap.add_argument("--budget", type=float, default=60.0)
args = ap.parse_args()
sys.path.insert(0, args.peers)
import scenes, score

TMP = tempfile.mkdtemp()
rows = []
for variant in args.only.split(","):
    for sid, S in scenes.SC.items():
        if args.scenes and not any(sid.startswith(p) for p in args.scenes.split(",")):
            continue
        sc = S.build(); pre = os.path.join(TMP, variant + "_" + sid); sp = pre + ".scene.json"
        json.dump(sc, open(sp, "w"))
        try:
            p = subprocess.run([args.adapter, sp, pre, variant, str(args.budget)], capture_output=True, timeout=3 * args.budget)
        except subprocess.TimeoutExpired:
            print(variant, sid, "timeout", flush=True); rows.append([variant, sid, "_status", "timeout", "", ""]); continue
        if not os.path.exists(pre + ".json"):
            what = p.stderr.decode(errors="replace").strip().splitlines()[-3:]
            print(variant, sid, "FAILED", what, flush=True); rows.append([variant, sid, "_status", "failed", "", ""]); continue
        r = scenes.Res(sc, pre); m = r.meta
        told = S.evaluate(r) if r.finite else {"_status": ("not finite", "", "")}
        if "budget" in m["note"]:
            told = {k: v for k, v in told.items() if sid.startswith("15")}
            told["_status"] = (m["note"], "", "")
        told["cpu_ms_per_step"] = (1e3 * r.wall / m["steps"], "ms", math.nan)
        for k, (v, u, t) in told.items():
            rows.append([variant, sid, k, v, u, t])
        shown = "; ".join("%s=%s" % (k, v if isinstance(v, str) else "%.3g" % v) for k, (v, _, _) in told.items())
        print("%s %s: %s | residual %.1e, uncertified %d, fell back %d, book %.1e" % (variant, sid, shown, m["worst_residual"], m["uncertified_steps"], m["fell_back"], m["book_error"]), flush=True)

got = {(v, s, k): (x, t) for v, s, k, x, _, t in rows}
hits = {}
for variant in args.only.split(","):
    ran = {s for v, s, *_ in rows if v == variant}
    n = hit = 0
    for scene, metric, limit in score.BARS:
        if scene not in ran: continue
        n += 1
        x, t = got.get((variant, scene, metric), (math.nan, math.nan))
        ok = not isinstance(x, str) and abs(x - t) <= limit
        hit += ok
        hits.setdefault((scene, metric), []).append(ok)
        if not ok: print("missed: %s %s %s = %s, should be %s ± %g" % (variant, scene, metric, x, t, limit))
    print("%d of %d run (%d in all)  %s" % (hit, n, len(score.BARS), variant))
print("%d of %d by one or the other" % (sum(any(h) for h in hits.values()), len(hits)))
if args.csv:
    with open(args.csv, "w", newline="") as f:
        w = csv.writer(f); w.writerow(["stepper", "scene", "metric", "value", "unit", "truth"]); w.writerows(rows)
