# %% [markdown]
# # A first simulation
#
# A box slides to rest on the ground. How far it gets, where its energy goes, and what the run is worth.

# %%
import stiction as st

world = st.World()
world.add_ground(friction=0.5)
world.add_box("box", size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05), velocity=(1, 0, 0))
sim = st.Simulation(world, dt=1 / 240, until=0.5)

times, speeds, heat = [], [], []
for _ in range(120):
    sim.step()
    times.append(sim.time)
    speeds.append(sim.velocity("box")[0])
    heat.append(sim.energy["friction"])

print(f"slid {sim.position('box')[0]:.6f} m, by v² / 2 μ g {1 / (2 * 0.5 * 9.81):.6f} m")
print(f"heat of friction {heat[-1]:.6f} J of 0.5 J")
for contact in sim.contacts:
    print(f"corner at {contact['point'].round(3)}: {contact['normal_force']:.3f} N")
print(sim.certificate)

# %%
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
left.plot(times, speeds, label="simulated")
left.plot([0, 1 / (0.5 * 9.81)], [1, 0], "k:", label="1 − μ g t")
left.set(xlabel="time (s)", ylabel="speed (m/s)")
left.legend()
right.plot(times, heat, color="tab:red")
right.axhline(0.5, color="k", linestyle=":")
right.set(xlabel="time (s)", ylabel="heat of friction (J)")
plt.show()
