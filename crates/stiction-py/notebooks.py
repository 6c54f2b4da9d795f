#!/usr/bin/env python3
"""Runs the examples as notebooks. Cells begin with `# %%`.

    python notebooks.py            # runs them, in a temporary folder
    python notebooks.py --write    # also writes examples/notebooks and the pictures in docs/pictures/python

Needs nbclient, nbformat, ipykernel and matplotlib besides stiction.
"""

import argparse
import base64
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE / "examples"
PICTURES = HERE.parents[1] / "docs/pictures/python"

#: Pictures of a size that suits a page.
SETUP = "%matplotlib inline\n%config InlineBackend.figure_formats = ['png']\nimport matplotlib\nmatplotlib.rcParams['figure.dpi'] = 90"
NEEDS = {"audit_mujoco": "mujoco", "block_stacking": "gymnasium"}


def cells(text):
    """The cells of a script."""
    for part in text.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        if "[markdown]" in head:
            lines = [line.removeprefix("# ").removeprefix("#") for line in body.strip().splitlines()]
            yield nbformat.v4.new_markdown_cell("\n".join(lines))
        else:
            yield nbformat.v4.new_code_cell(body.strip())


def run(script, folder):
    """The executed notebook of a script."""
    book = nbformat.v4.new_notebook(cells=list(cells(script.read_text())))
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book.cells.insert(0, nbformat.v4.new_code_cell(SETUP))
    NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    del book.cells[0]
    for number, cell in enumerate(book.cells):
        cell.id = f"{script.stem}-{number}"
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = None
    return book


def pictures(book):
    """The pictures of a notebook as PNG."""
    for cell in book.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {}).get("image/png")
            if data:
                yield base64.b64decode(data)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--write", action="store_true", help="write notebooks and pictures")
    words.add_argument("names", nargs="*", help="only these examples")
    given = words.parse_args()
    for script in sorted(EXAMPLES.glob("*.py")):
        if given.names and script.stem not in given.names:
            continue
        if script.stem in NEEDS and not find_spec(NEEDS[script.stem]):
            print(f"{script.stem}: skipped, {NEEDS[script.stem]} is not installed", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            book = run(script, folder)
        found = list(pictures(book))
        print(f"{script.stem}: {len(book.cells)} cells, {len(found)} pictures", flush=True)
        if given.write:
            target = EXAMPLES / "notebooks" / f"{script.stem}.ipynb"
            target.parent.mkdir(exist_ok=True)
            nbformat.write(book, target)
            PICTURES.mkdir(parents=True, exist_ok=True)
            for picture in found:
                (PICTURES / f"{script.stem}.png").write_bytes(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
