# %% [markdown]
# # An audit of MuJoCo
#
# Ten boxes on each other after two seconds. MuJoCo's forces balance the weight; its contacts are soft, so that boxes sink into each
# other until the forces suffice, and a box on an incline creeps where it should rest.

# %%
import mujoco
import numpy as np

import stiction as st

PLANE = '<geom type="plane" size="5 5 .1" friction="0.6 0 0" condim="3"/>'
OPTION = '<option timestep="0.002" cone="elliptic" solver="Newton" tolerance="1e-12" gravity="{gravity}"/>'


def stack(boxes, gravity="0 0 -9.81", seconds=2.0):
    """The audit of boxes on each other after some time."""
    box = '<body pos="0 0 {z}"><freejoint/><geom type="box" size=".2 .2 .1" friction="0.6 0 0" condim="3"/></body>'
    bodies = "".join(box.format(z=0.1 + 0.2 * k) for k in range(boxes))
    text = f"<mujoco>{OPTION.format(gravity=gravity)}<worldbody>{PLANE}{bodies}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    while data.time < seconds:
        mujoco.mj_step(model, data)
    return st.audit_mujoco(model, data)


found = stack(10)
print(found)
print(f"lawful forces: {found.exact}")

parts = (0.3, 0.6, 0.9, 0.99)
creep = []
for part in parts:
    angle = np.arctan(0.6 * part)
    audit = stack(1, f"{9.81 * np.sin(angle):.15f} 0 {-9.81 * np.cos(angle):.15f}", seconds=1.0)
    creep.append(audit.figures["creep"])
    assert np.abs(audit.exact.response).max() < 1e-9
    print(f"one box at {part} of the friction angle creeps by {1000 * creep[-1]:.3f} mm/s; exact forces hold it")

# %%
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.barh(range(10), found.normal.reshape(10, 4).sum(axis=1), label="MuJoCo")
left.plot(found.exact.normal.reshape(10, 4).sum(axis=1), range(10), "k|", markersize=12, label="exact")
left.set(xlabel="normal force below a box (N)", ylabel="box", title=f"sinks by {1000 * found.figures['penetration']:.2f} mm")
left.legend()
right.semilogy(parts, np.array(creep) * 1000, "o-")
right.set(xlabel="part of the friction angle", ylabel="creep (mm/s)", title="a box that should rest")
plt.show()
