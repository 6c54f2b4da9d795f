"""Exported tables in pandas and polars: the columns of docs/recording.md, and equal numbers.

    python3 benches/tables.py target/release/stiction

needs pandas, pyarrow and polars.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas
import polars

ROOT = Path(__file__).resolve().parent.parent
SCENE = ROOT / "scenes/baraff1989/fig14a_bricks.toml"


def documented():
    """The columns that docs/recording.md lists, by table."""
    text = (ROOT / "docs/recording.md").read_text().split("## Tables")[1]
    parts = re.split(r"### `(\w+)`", text)[1:]
    return {
        name: [column for row in re.findall(r"^\| (`[^|]+) \|", body, re.M) for column in re.findall(r"`(\w+)`", row)]
        for name, body in zip(parts[::2], parts[1::2])
    }


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder, "run.stiction")
        subprocess.run([program, "run", SCENE, "--until", "0.3", "--out", recording], check=True, capture_output=True)
        subprocess.run([program, "export", recording, "--out", folder], check=True, capture_output=True)
        for name, columns in documented().items():
            (file,) = Path(folder).glob(f"*{name}.parquet")
            one, other = pandas.read_parquet(file), polars.read_parquet(file)
            assert list(one.columns) == list(other.columns) == columns, (name, list(one.columns), columns)
            numbers = one.select_dtypes("number")
            assert numbers.equals(other.select(numbers.columns).to_pandas()), name
            print(f"{name}: {len(one)} rows, {len(columns)} columns as documented, in pandas and polars")


if __name__ == "__main__":
    main(*sys.argv[1:])
