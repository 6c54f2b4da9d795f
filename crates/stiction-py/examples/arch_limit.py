# %% [markdown]
# # An arch to its limit
#
# A semicircular arch of 27 voussoirs stands if it is thick enough: 0.1067209 of its radius. Below that no forces within the friction
# cones balance the weight, and the proof is a mechanism of hinges.

# %%
import numpy as np

import stiction as st

FACES = [[0, 1, 2, 3], [7, 6, 5, 4], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]]


def arch(thickness, voussoirs=27, friction=1.0):
    """A semicircular arch of mean radius 1 m between two supports."""
    inner, outer = 1 - thickness / 2, 1 + thickness / 2

    def block(name, first, second, **keys):
        ring = [(inner, first), (outer, first), (outer, second), (inner, second)]
        front = [(r * np.cos(angle), -0.1, r * np.sin(angle)) for r, angle in ring]
        back = [(x, 0.1, z) for x, _, z in front]
        return {"name": name, "vertices": front + back, "faces": FACES, **keys}

    joints = np.linspace(0, np.pi, voussoirs + 1)
    width = 0.2
    made = [block(f"v{k}", joints[k], joints[k + 1], density=2000.0) for k in range(voussoirs)]
    supports = [
        {"name": name, "box": (2 * thickness, width, thickness), "centre": (x, 0, -thickness / 2), "fixed": True}
        for name, x in (("right", 1.0), ("left", -1.0))
    ]
    return st.Assembly(made + supports, friction=friction, name=f"arch, t/R = {thickness}")


low, high = 0.10, 0.12
assert not st.stands(arch(low)) and st.stands(arch(high))
while high - low > 1e-6:
    middle = (low + high) / 2
    low, high = (low, middle) if st.stands(arch(middle), must=False, need_not=False) else (middle, high)
print(f"least thickness between {low:.7f} and {high:.7f} of the radius; published 0.1067209")

falls, holds = st.stands(arch(low)), st.stands(arch(high), need_not=False)
print(f"thinner: {falls}, {falls.mechanism.hinges} hinges; thicker: {holds}")
thick = arch(0.15)
tilt = thick.tilt((1, 0, 0))
print(f"at 0.15 it can be tilted until a tangent of {tilt.value:.6f}, {np.degrees(np.arctan(tilt.value)):.3f}°")

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for axis, verdict in zip(axes, (holds, falls)):
    assembly = verdict.assembly
    for k, block in enumerate(assembly.description["blocks"]):
        corners = np.array(block["vertices"])
        if not block["fixed"] and verdict.motion is not None:
            velocity, spin = verdict.motion[k, :3], verdict.motion[k, 3:]
            scale = 0.1 / np.abs(verdict.motion[:, :3]).max()
            corners = corners + scale * (velocity + np.cross(spin, corners - np.array(block["centre"])))
        for face in block["faces"]:
            axis.fill(corners[face, 0], corners[face, 2], facecolor="0.9", edgecolor="0.5", linewidth=0.5)
    if verdict.forces is not None:
        contacts, forces = assembly.contacts, verdict.forces
        size = np.linalg.norm(forces, axis=1)
        for pair in {(c["first"], c["second"]) for c in contacts}:
            chosen = (contacts["first"] == pair[0]) & (contacts["second"] == pair[1]) & (size > 0)
            total = forces[chosen].sum(axis=0)
            weight = size[chosen] / size[chosen].sum()
            at = weight @ contacts["point"][chosen]
            axis.plot(at[0], at[2], "o", color="tab:red", markersize=3)
            axis.plot([at[0] - 1e-4 * total[0], at[0] + 1e-4 * total[0]], [at[2] - 1e-4 * total[2], at[2] + 1e-4 * total[2]], color="tab:red", linewidth=1)
    axis.set(title=str(verdict), aspect="equal", xlabel="x (m)")
axes[0].set_ylabel("z (m)")
plt.show()
