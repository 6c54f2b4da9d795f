# %% [markdown]
# # A block that is pushed: friction cones and slip
#
# A horizontal push on a block grows. Below μ times the weight every corner has friction inside its cone and nothing slips; above, all
# friction is on the cones, against the slip, and the rest of the push accelerates the block.

# %%
import numpy as np

import stiction as st

MASS, MU, G = 2.0, 0.5, 9.81
CORNERS = np.array([[x, y, 0] for x in (-0.2, 0.2) for y in (-0.1, 0.1)])


def pushed(force, height=0.05):
    """The block, pushed at a height above its base."""
    torque = (height - 0.1) * force
    return st.Problem(
        masses=[MASS],
        inertias=[MASS / 12 * np.diag([0.2**2 + 0.2**2, 0.4**2 + 0.2**2, 0.4**2 + 0.2**2])],
        positions=[[0, 0, 0.1]],
        pairs=[[0, -1]] * 4,
        points=CORNERS,
        normals=[[0, 0, 1]] * 4,
        friction=MU,
        wrenches=[[force, 0, -MASS * G, 0, torque, 0]],
    )


pushes = np.linspace(0, 20, 81)
answers = st.solve_all([pushed(force) for force in pushes])
assert all(answer.certified for answer in answers)
use = [np.linalg.norm(a.friction.sum(axis=0)) / (MU * a.normal.sum()) for a in answers]
acceleration = np.array([a.response[0, 0] for a in answers])
expected = np.maximum(0, pushes / MASS - MU * G)
print(f"slips above {MU * MASS * G:.3f} N; the largest error of its acceleration is {np.abs(acceleration - expected).max():.1e} m/s²")

# %%
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(pushes, use, label="friction / (μ × weight)")
left.plot(pushes, acceleration, label="acceleration (m/s²)")
left.axvline(MU * MASS * G, color="k", linestyle=":", linewidth=1)
left.set(xlabel="push (N)")
left.legend()
for force in (4.0, 8.0, 14.0):
    answer = st.solve(pushed(force))
    tangential = np.linalg.norm(answer.friction, axis=1)
    right.plot(tangential, answer.normal, "o", label=f"{force:g} N")
edge = np.array([0, 12.0])
right.plot(MU * edge, edge, "k-", linewidth=1, label="edge of the cone")
right.set(xlabel="friction of a corner (N)", ylabel="normal force of a corner (N)")
right.legend()
plt.show()
