# %% [markdown]
# # A pallet under braking
#
# Boxes in two columns stand on a pallet. How hard may the truck brake before something slips or topples? Braking is gravity that
# turns: its margin is the largest tangent, which is the deceleration in multiples of g. A column of height h and depth b topples
# at b/h, a box slips at μ.

# %%
import numpy as np

import stiction as st

DEPTH, WIDTH, HEIGHT = 0.4, 0.6, 0.3


def pallet(layers, friction):
    """Two columns of boxes on a pallet, apart from each other."""
    blocks = [{"name": "pallet", "box": (1.2, 0.8, 0.144), "centre": (0, 0, -0.072), "fixed": True}]
    for column, x in enumerate((-0.35, 0.35)):
        for layer in range(layers):
            centre = (x, 0, (layer + 0.5) * HEIGHT)
            blocks.append({"name": f"{column}.{layer}", "box": (DEPTH, WIDTH, HEIGHT), "centre": centre, "mass": 12.0})
    return st.Assembly(blocks, friction=friction, name=f"{layers} layers, μ = {friction:g}")


coefficients = np.linspace(0.1, 0.9, 9)
limits = {}
for layers in (1, 2, 3, 4):
    limits[layers] = [pallet(layers, mu).tilt((1, 0, 0)).value for mu in coefficients]
    expected = np.minimum(coefficients, DEPTH / (layers * HEIGHT))
    assert np.allclose(limits[layers], expected, rtol=1e-8), (limits[layers], expected)
    print(f"{layers} layers: topples at {DEPTH / (layers * HEIGHT):.4f} g, limits {np.round(limits[layers], 4)}")
worst = pallet(4, 0.5)
print(f"four layers, μ = 0.5: {st.stands(worst)}; the mechanism at its limit: {worst.tilt((1, 0, 0)).mechanism}")

# %%
import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
for layers, found in limits.items():
    axis.plot(coefficients, found, "o-", label=f"{layers} layers")
axis.set(xlabel="coefficient of friction", ylabel="largest deceleration (g)")
axis.legend()
plt.show()
