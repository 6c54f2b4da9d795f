"""Sweeps: a function of parameters over a grid or a list, on all cores, resumed after an interruption."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import os
import sys
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

import numpy as np

from ._arrays import table as html
from ._errors import InputError

__all__ = ["Table", "sweep"]

Row = Dict[str, Any]

#: Cases that wait at an executor at once.
IN_FLIGHT = 256

#: The column of cases that failed.
ERROR = "error"


class Table:
    """Rows of parameters and results, in the order of the cases."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows: List[Row] = [dict(row) for row in rows]
        #: Every column that a row has, in the order in which they first appear.
        self.names: List[str] = list(dict.fromkeys(name for row in self.rows for name in row))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> "np.ndarray[Any, np.dtype[Any]]":
        """A column."""
        if name not in self.names:
            raise KeyError(name)
        return np.array([row.get(name) for row in self.rows])

    @property
    def failed(self) -> List[Row]:
        """The cases that raised an exception."""
        return [row for row in self.rows if row.get(ERROR) is not None]

    def to_pandas(self) -> Any:
        """A table of pandas."""
        import pandas

        return pandas.DataFrame(self.rows, columns=self.names)

    def write(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes CSV, JSON lines (.jsonl) or Parquet (which needs pyarrow), by the ending of the path."""
        file = Path(path)
        if file.suffix == ".csv":
            text = io.StringIO()
            writer = csv.DictWriter(text, self.names, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
            replace(file, text.getvalue().encode())
        elif file.suffix == ".jsonl":
            replace(file, b"".join(json.dumps(row).encode() + b"\n" for row in self.rows))
        elif file.suffix == ".parquet":
            import pyarrow
            import pyarrow.parquet

            columns = {name: [row.get(name) for row in self.rows] for name in self.names}
            data = io.BytesIO()
            pyarrow.parquet.write_table(pyarrow.table(columns), data)
            replace(file, data.getvalue())
        else:
            raise InputError(f"{file}: tables are written to .csv, .jsonl and .parquet", str(file))

    def __repr__(self) -> str:
        return f"<stiction.Table: {len(self)} rows of {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        return html({name: [row.get(name) for row in self.rows] for name in self.names})


def replace(file: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    unnamed = file.with_name(f"{file.name}.{os.getpid()}.new")
    with open(unnamed, "wb") as to:
        to.write(data)
        to.flush()
        os.fsync(to.fileno())
    os.replace(unnamed, file)


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def cases(parameters: Union[Mapping[str, Iterable[Any]], Iterable[Mapping[str, Any]]]) -> List[Row]:
    """The rows of a grid, the last parameter fastest, or those of a list."""
    if isinstance(parameters, Mapping):
        names, values = list(parameters), [list(values) for values in parameters.values()]
        return [dict(zip(names, chosen)) for chosen in itertools.product(*values)]
    rows = [dict(row) for row in parameters]
    if not all(isinstance(name, str) for row in rows for name in row):
        raise InputError("parameters: names are texts", key="parameters")
    return rows


def run_case(case: Callable[..., Any], row: Row) -> Row:
    """The parameters and the result of one case; of one that failed its error."""
    given = {name: plain(value) for name, value in row.items()}
    try:
        result = case(**row)
        results = dict(result) if isinstance(result, Mapping) else {"value": result}
        return {**given, **plain(results)}
    except Exception as error:  # noqa: BLE001 - whatever fails is a row
        return {**given, ERROR: f"{type(error).__name__}: {error}"}


class Parts:
    """Results on disk, one file per case, until all are there."""

    def __init__(self, out: Optional[Path]) -> None:
        self.folder = out and out.with_name(out.name + ".parts")
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)

    def file(self, index: int, row: Row) -> Optional[Path]:
        """The file of a case, named after its number and parameters."""
        if self.folder is None:
            return None
        digest = hashlib.sha256(json.dumps(plain(row)).encode()).hexdigest()[:16]
        return self.folder / f"{index:08d}-{digest}.json"

    def known(self, index: int, row: Row) -> Optional[Row]:
        """The result of a case that was run before; one that failed is run again."""
        file = self.file(index, row)
        if file is None or not file.exists():
            return None
        try:
            found: Row = json.loads(file.read_text())
        except (OSError, ValueError):
            return None
        return found if found.get(ERROR) is None else None

    def keep(self, index: int, row: Row, result: Row) -> None:
        file = self.file(index, row)
        if file:
            replace(file, json.dumps(result).encode())

    def remove(self) -> None:
        if self.folder:
            for file in self.folder.iterdir():
                file.unlink()
            self.folder.rmdir()


def sweep(
    case: Callable[..., Any],
    parameters: Union[Mapping[str, Iterable[Any]], Iterable[Mapping[str, Any]]],
    executor: Optional[Executor] = None,
    out: "Optional[Union[str, os.PathLike[str]]]" = None,
    progress: Optional[bool] = None,
) -> Table:
    """Runs `case(**row)` for every row of a grid (a dict of lists) or of a list of dicts.

    A case returns a dict of results, or one. One that raises becomes a row with its error. Cases run on all cores,
    in threads, since solves and steps release the interpreter's lock; or in an `executor` of `concurrent.futures`, as Dask's
    `client.get_executor()` and `mpi4py.futures` have. With `out` (.csv, .jsonl, .parquet) results are kept as they come: a
    sweep that was interrupted goes on where it was, and the file does not depend on the order or the executor.
    """
    rows = cases(parameters)
    path = None if out is None else Path(out)
    if path is not None and path.suffix not in (".csv", ".jsonl", ".parquet"):
        raise InputError(f"{path}: tables are written to .csv, .jsonl and .parquet", str(path))
    parts = Parts(path)
    found: Dict[int, Row] = {}
    for index, row in enumerate(rows):
        known = parts.known(index, row)
        if known is not None:
            found[index] = known
    left = iter([index for index in range(len(rows)) if index not in found])
    shown = sys.stderr.isatty() if progress is None else progress
    own = None if executor else ThreadPoolExecutor(os.cpu_count())
    try:
        collect(executor or own, case, rows, left, parts, found, shown)  # type: ignore[arg-type]
    finally:
        if own:
            own.shutdown(cancel_futures=True)
    made = Table([found[index] for index in range(len(rows))])
    if path is not None:
        made.write(path)
        parts.remove()
    return made


def collect(
    executor: Executor,
    case: Callable[..., Any],
    rows: Sequence[Row],
    left: Iterator[int],
    parts: Parts,
    found: Dict[int, Row],
    shown: bool,
) -> None:
    """Runs the cases that are left, some at a time."""
    waiting: "Dict[Future[Row], int]" = {}
    while True:
        for index in itertools.islice(left, IN_FLIGHT - len(waiting)):
            waiting[executor.submit(run_case, case, rows[index])] = index
        if not waiting:
            break
        for done in wait(waiting, return_when=FIRST_COMPLETED).done:
            index = waiting.pop(done)
            found[index] = done.result()
            parts.keep(index, rows[index], found[index])
        if shown:
            print(f"\r{len(found)} of {len(rows)} cases", end="", file=sys.stderr, flush=True)
    if shown:
        print(file=sys.stderr)
