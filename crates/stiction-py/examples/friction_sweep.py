# %% [markdown]
# # A sweep
#
# Where a block on an incline holds and where it slides: all combinations of angle and friction, on all cores. A sweep can also run in
# processes, Dask or Ray, and continues where it was when it is killed.

# %%
import numpy as np

import stiction as st


def slides(friction, degrees):
    angle = np.radians(degrees)
    world = st.World(gravity=9.81 * np.array([np.sin(angle), 0, -np.cos(angle)]))
    world.add_ground(friction=friction)
    world.add_box("block", size=(0.3, 0.2, 0.1), mass=1.0, position=(0, 0, 0.05))
    sim = st.Simulation(world, dt=0.01, until=0.2).run()
    return {"far": sim.position("block")[0], "certified": sim.certificate.holds}


frictions, angles = np.arange(0.1, 0.85, 0.1), np.arange(2.5, 45, 5)
table = st.sweep(slides, {"friction": frictions, "degrees": angles})
for row in table:
    expected = np.tan(np.radians(row["degrees"])) > row["friction"]
    assert row["certified"] and (row["far"] > 1e-9) == expected, row
print(f"{len(table)} cases: each slides where tan(angle) exceeds the friction, and nowhere else")

# %%
import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
far = table["far"].reshape(len(frictions), len(angles))
shown = axis.pcolormesh(angles, frictions, far, shading="nearest", cmap="viridis")
fine = np.linspace(angles[0], angles[-1], 200)
axis.plot(fine, np.tan(np.radians(fine)), "w--", label="tan(angle)")
axis.set(xlabel="angle (°)", ylabel="friction", ylim=(0.05, 0.85))
figure.colorbar(shown, label="slid in 0.2 s (m)")
axis.legend()
plt.show()
