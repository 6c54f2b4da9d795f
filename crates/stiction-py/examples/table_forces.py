# %% [markdown]
# # The legs of a table
#
# What each leg carries, and which of these forces are the only possible ones. With three legs statics decides; with four it does not:
# the forces shown are one answer of many.

# %%
import numpy as np

import stiction as st


def table(legs):
    angle = 2 * np.pi * np.arange(legs) / legs
    feet = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(legs)])
    return st.Problem(
        masses=[30.0],
        inertias=[np.diag([10.0, 10.0, 20.0])],
        positions=[[0.1, 0, 0.7]],
        pairs=[[0, -1]] * legs,
        points=feet,
        normals=[[0, 0, 1]] * legs,
        friction=0.4,
        wrenches=[[0, 0, -30 * 9.81, 0, 0, 0]],
    )


answers = {legs: st.solve(table(legs)) for legs in (3, 4, 6)}
for legs, answer in answers.items():
    print(f"{legs} legs: {answer.normal.round(3)} N, normal forces {answer.unique['normals']}")
    assert answer.certified

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, len(answers), figsize=(9, 3), sharey=True, layout="constrained")
for axis, (legs, answer) in zip(axes, answers.items()):
    unique = [word == "unique" for word in answer.unique["normals"]]
    axis.bar(range(legs), answer.normal, color=["tab:green" if only else "tab:orange" for only in unique])
    axis.set(title=f"{legs} legs", xlabel="leg", xticks=range(legs))
axes[0].set_ylabel("normal force (N)")
figure.suptitle("green: the only possible force; orange: one of many")
plt.show()
