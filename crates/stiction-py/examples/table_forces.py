"""The legs of a table: what each carries, and which of these forces are the only possible ones."""

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


for legs in (3, 4):
    answer = st.solve(table(legs))
    print(f"{legs} legs: {answer.normal.round(3)} N, normal forces {answer.unique['normals']}")
    assert answer.certified
