"""A case for sweeps in other processes: slow enough to be killed, and some of them raise."""

import time


def slow(x, y, pause=0.0):
    time.sleep(pause)
    if (x + y) % 97 == 0:
        raise ValueError(f"{x} and {y} make no sense")
    return {"sum": x + y, "product": 0.1 * x * y, "word": f"{x}/{y}"}


def slide(friction, speed):
    import stiction as st

    world = st.World()
    world.add_ground(friction=friction)
    world.add_box("box", size=(0.2, 0.1, 0.1), mass=1, position=(0, 0, 0.05), velocity=(speed, 0, 0))
    sim = st.Simulation(world, dt=0.01, until=0.2).run()
    return {"far": sim.position("box")[0], "holds": sim.certificate.holds}
