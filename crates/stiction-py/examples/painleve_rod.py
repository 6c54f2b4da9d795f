# %% [markdown]
# # The Painlevé rod
#
# A rod slides on its tip. Its friction turns it into the ground, and the force that is needed grows without bound as the coefficient
# approaches (1 + 3 cos² θ) / (3 sin θ cos θ), which is 4/3 where tan θ = 2. Beyond, no finite force obeys the laws: an impulse does.

# %%
import json

import numpy as np

import stiction as st

ANGLE, HALF, MASS, G = np.arctan(2.0), 0.5, 1.0, 9.81
CRITICAL = (1 + 3 * np.cos(ANGLE) ** 2) / (3 * np.sin(ANGLE) * np.cos(ANGLE))


def rod(mu):
    """The rod, its tip at the origin, its centre at the angle above, sliding so that friction turns it into the ground."""
    centre = HALF * np.array([np.cos(ANGLE), 0.0, np.sin(ANGLE)])
    inertia = MASS * (2 * HALF) ** 2 / 12 * np.eye(3)
    body = {
        "mass": MASS,
        "inertia": inertia.tolist(),
        "position": centre.tolist(),
        "velocity": [-1.0, 0, 0, 0, 0, 0],
        "wrench": [0, 0, -MASS * G, 0, 0, 0],
    }
    contact = {"a": 0, "b": -1, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": mu, "law": "sliding", "direction": [-1, 0, 0]}
    return st.Problem.parse(
        json.dumps({"format": "contact-1", "level": "acceleration", "bodies": [body], "contacts": [contact]})
    )


def expected(mu):
    """Newton and Euler for the tip: m g / (1 + 3 cos θ (cos θ − μ sin θ))."""
    return MASS * G / (1 + 3 * np.cos(ANGLE) * (np.cos(ANGLE) - mu * np.sin(ANGLE)))


coefficients = np.concatenate([np.linspace(0, 1.3, 27), [1.34, 1.5, 2.0]])
answers = [st.solve(rod(mu)) for mu in coefficients]
for mu, answer in zip(coefficients, answers):
    if mu < CRITICAL:
        assert answer.status == "certified" and np.isclose(answer.normal[0], expected(mu))
    else:
        assert answer.status == "impulse"
print(f"critical coefficient {CRITICAL:.6f}")
print(f"at 1.3: {answers[26].normal[0]:.3f} N for a rod of {MASS * G} N; above 4/3: {answers[-1].status}")

# %%
import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
finite = [(mu, answer.normal[0]) for mu, answer in zip(coefficients, answers) if answer.status == "certified"]
axis.semilogy(*zip(*finite), "o", label="certified force")
fine = np.linspace(0, CRITICAL - 1e-3, 300)
axis.semilogy(fine, expected(fine), "k-", linewidth=1, label="closed form")
axis.axvspan(CRITICAL, 2, color="tab:red", alpha=0.15, label="no force: an impulse")
axis.set(xlabel="coefficient of friction", ylabel="normal force (N)", ylim=(1, 1e4))
axis.legend()
plt.show()
