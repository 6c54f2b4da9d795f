"""Where a block on an incline holds and where it slides: a sweep over angle and friction."""

import numpy as np

import stiction as st


def slides(friction, degrees):
    angle = np.radians(degrees)
    world = st.World(gravity=9.81 * np.array([np.sin(angle), 0, -np.cos(angle)]))
    world.add_ground(friction=friction)
    world.add_box("block", size=(0.3, 0.2, 0.1), mass=1.0, position=(0, 0, 0.05))
    sim = st.Simulation(world, dt=0.01, until=0.2).run()
    return {"far": sim.position("block")[0], "certified": sim.certificate.holds}


table = st.sweep(slides, {"friction": [0.2, 0.4, 0.6], "degrees": range(0, 40, 5)})
for row in table:
    expected = np.tan(np.radians(row["degrees"])) > row["friction"]
    assert row["certified"] and (row["far"] > 1e-9) == expected, row
print(f"{len(table)} cases: each slides where tan(angle) exceeds the friction, and nowhere else")
