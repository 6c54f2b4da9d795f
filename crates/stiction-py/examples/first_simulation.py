"""A box slides to rest: how far, where its energy went, and what the run is worth."""

import stiction as st

world = st.World()
world.add_ground(friction=0.5)
world.add_box("box", size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05), velocity=(1, 0, 0))
sim = st.Simulation(world, dt=1 / 240, until=0.5)
sim.run()

print(f"slid {sim.position('box')[0]:.6f} m, by v² / 2 μ g {1 / (2 * 0.5 * 9.81):.6f} m")
print(f"heat of friction {sim.energy['friction']:.6f} J of 0.5 J")
for contact in sim.contacts:
    print(f"corner at {contact['point'].round(3)}: {contact['normal_force']:.3f} N")
print(sim.certificate)
