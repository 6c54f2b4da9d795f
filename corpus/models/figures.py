"""Computes what MuJoCo makes of the models here, and writes it beside them.

    pip install mujoco numpy && python corpus/models/figures.py

A body of a figure is one that moves with all that is fixed to it; poses are those of the beginning.
"""

import json
import pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).parent
PARTS = {"part.xml", "limb.xml"}


def load(path):
    if path.suffix != ".urdf":
        return mujoco.MjModel.from_xml_path(str(path))
    # MuJoCo knows no packages.
    text = path.read_text().replace("package://models/", "")
    mesh = {it.name: it.read_bytes() for it in HERE.glob("*.stl")}
    return mujoco.MjModel.from_xml_string(text, assets=mesh)


def figure(path):
    model = load(path)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    bodies, joints = {}, {}
    for root in range(1, model.nbody):
        if model.body_weldid[root] != root:
            continue
        group = [b for b in range(1, model.nbody) if model.body_weldid[b] == root]
        mass = sum(model.body_mass[b] for b in group)
        centre = sum(model.body_mass[b] * data.xipos[b] for b in group) / mass
        inertia = np.zeros((3, 3))
        for b in group:
            axes = data.ximat[b].reshape(3, 3)
            away = data.xipos[b] - centre
            inertia += axes @ np.diag(model.body_inertia[b]) @ axes.T
            inertia += model.body_mass[b] * (away @ away * np.eye(3) - np.outer(away, away))
        bodies[model.body(root).name] = {
            "mass": mass,
            "centre": centre.tolist(),
            "inertia": inertia.flatten().tolist(),
            "rotation": data.xmat[root].tolist(),
        }
    for j in range(model.njnt):
        kind = int(model.jnt_type[j])
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            continue
        start = model.qpos0[model.jnt_qposadr[j]]
        limited = bool(model.jnt_limited[j]) and kind != mujoco.mjtJoint.mjJNT_BALL
        joints[model.joint(j).name] = {
            "kind": {1: "ball", 2: "slider", 3: "hinge"}[kind],
            "anchor": data.xanchor[j].tolist(),
            "axis": data.xaxis[j].tolist(),
            "range": (model.jnt_range[j] - start).tolist() if limited else None,
        }
    return {"mujoco": mujoco.__version__, "bodies": bodies, "joints": joints}


def main():
    for path in sorted(HERE.iterdir()):
        if path.suffix in {".xml", ".urdf"} and path.name not in PARTS:
            text = json.dumps(figure(path), indent=1)
            path.with_name(path.name + ".json").write_text(text + "\n")
            print(path.name)


if __name__ == "__main__":
    main()
