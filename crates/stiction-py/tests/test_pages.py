"""The programs that the pages show run as they stand."""

from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]


def blocks(path):
    """The blocks of Python in a page, under the heading that they stand under."""
    heading, found, lines = "", [], None
    for line in path.read_text().splitlines():
        if lines is None and line.startswith("#"):
            heading = line.strip("# ")
        if line == "```python":
            lines = []
        elif line == "```" and lines is not None:
            found.append((heading, "\n".join(lines)))
            lines = None
        elif lines is not None:
            lines.append(line)
    return found


PAGES = blocks(HERE / "README.md") + blocks(HERE.parents[1] / "docs/python.md")


@pytest.mark.parametrize("heading, text", PAGES, ids=[heading for heading, _ in PAGES])
def test_a_program_of_a_page_runs(heading, text, tmp_path, monkeypatch):
    import stiction as st

    monkeypatch.chdir(tmp_path)
    given = {"st": st}
    world = st.World()
    world.add_ground()
    world.add_box("box", size=(1, 1, 1), mass=1, position=(0, 0, 0.5))
    if heading == "Statics":
        given.update(world=world)
    if heading == "Single problems":
        problem = st.Simulation(world).problem()
        (tmp_path / "table.json").write_text(problem.to_json())
        answer = st.solve(problem)
        forces = answer.normal[:, None] * [0, 0, 1] + answer.friction
        given.update(problems=[problem], forces=forces)
    exec(compile(text, heading, "exec"), given)


def test_the_pages_have_programs():
    assert len(PAGES) >= 4
