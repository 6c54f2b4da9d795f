"""Sweeps: a function of parameters over a grid or a list, on all cores, resumed after an interruption."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import operator
import os
import sys
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import table as html
from ._errors import InputError
from .executors import dask

__all__ = ["Table", "merge", "sweep"]

Row = Dict[str, Any]

#: Cases that wait at an executor at once.
IN_FLIGHT = 256

#: What `cases.json` in the folder of parts says.
FORMAT, MANIFEST = "sweep-1", "cases.json"

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
    """Results on disk, one file per case, until all are there; `cases.json` lists them. `stiction sweep` writes the same."""

    def __init__(self, out: Path, rows: Sequence[Row]) -> None:
        self.folder = out.with_name(out.name + ".parts")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.files = [f"{index:08d}-{digest(row)}.json" for index, row in enumerate(rows)]
        manifest = {"format": FORMAT, "cases": self.files}
        replace(self.folder / MANIFEST, json.dumps(manifest).encode())

    @classmethod
    def of(cls, out: Path) -> "Parts":
        """The parts of a sweep that was run."""
        parts = cls.__new__(cls)
        parts.folder = out.with_name(out.name + ".parts")
        file = parts.folder / MANIFEST
        try:
            manifest = json.loads(file.read_text())
            known = manifest["format"] == FORMAT
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}: {error}", str(file)) from None
        if not known:
            raise InputError(f"{file}: format: is {manifest['format']!r}, not {FORMAT!r}", str(file))
        parts.files = [str(name) for name in manifest["cases"]]
        return parts

    def read(self, index: int) -> Optional[Row]:
        """The result of a case; none if it was not run, or the file is damaged."""
        try:
            found = json.loads((self.folder / self.files[index]).read_text())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def known(self, index: int) -> Optional[Row]:
        """The result of a case that was run before; one that failed is run again."""
        found = self.read(index)
        return found if found is not None and found.get(ERROR) is None else None

    def keep(self, index: int, result: Row) -> None:
        replace(self.folder / self.files[index], json.dumps(result).encode())

    def remove(self) -> None:
        for file in self.folder.iterdir():
            file.unlink()
        self.folder.rmdir()


def digest(row: Row) -> str:
    """Differs where parameters differ."""
    return hashlib.sha256(json.dumps(plain(row)).encode()).hexdigest()[:16]


Case = Callable[..., Any]
Parameters = Union[Mapping[str, Iterable[Any]], Iterable[Mapping[str, Any]]]


def sweep(
    case: Case,
    parameters: Parameters,
    executor: Any = None,
    out: "Optional[Union[str, os.PathLike[str]]]" = None,
    progress: Optional[bool] = None,
    shard: Optional[Tuple[int, int]] = None,
) -> Table:
    """Runs `case(**row)` for every row of a grid (a dict of lists) or of a list of dicts.

    A case returns a dict of results, or one. One that raises becomes a row with its error. Cases run on all cores,
    in threads, since solves and steps release the interpreter's lock; or in an `executor` of `concurrent.futures`, as Dask's
    `client.get_executor()` (or the client itself), `mpi4py.futures` and `stiction.executors.ray()` are. With `out` (.parquet, .csv, .jsonl) results are kept as they
    come: a sweep that was interrupted continues where it was, and the file does not depend on the order or the executor.

    `shard=(i, n)` runs the i-th of n parts of the cases, from 1; `merge(out)` makes the table of all of them.
    """
    rows = cases(parameters)
    path = None if out is None else checked(out)
    first, step = shard_of(shard, path)
    parts = None if path is None else Parts(path, rows)
    found: Dict[int, Row] = {}
    mine = range(first, len(rows), step)
    for index in mine:
        known = parts.known(index) if parts else None
        if known is not None:
            found[index] = known
    left = iter([index for index in mine if index not in found])
    shown = sys.stderr.isatty() if progress is None else progress
    if executor is not None and hasattr(executor, "get_executor"):
        executor = dask(executor)
    own = None if executor else ThreadPoolExecutor(os.cpu_count())
    try:
        collect(executor or own, case, rows, left, parts, found, shown)  # type: ignore[arg-type]
    finally:
        if own:
            own.shutdown(cancel_futures=True)
    made = Table([found[index] for index in mine])
    if path is not None and parts and shard is None:
        made.write(path)
        parts.remove()
    return made


def merge(out: "Union[str, os.PathLike[str]]") -> Table:
    """The table of a sweep whose shards were all run; writes it and removes the parts."""
    path = checked(out)
    parts = Parts.of(path)
    rows = [parts.read(index) for index in range(len(parts.files))]
    missing = [index for index, row in enumerate(rows) if row is None]
    if missing:
        count = f"{len(missing)} of {len(rows)} cases are missing"
        raise InputError(f"{path}: {count}, the first is number {missing[0]}", str(path))
    made = Table([row for row in rows if row is not None])
    made.write(path)
    parts.remove()
    return made


def checked(out: "Union[str, os.PathLike[str]]") -> Path:
    """A path that says its format."""
    path = Path(out)
    if path.suffix not in (".csv", ".jsonl", ".parquet"):
        raise InputError(f"{path}: tables are written to .parquet, .csv and .jsonl", str(path))
    if path.suffix == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401 - before hours of work rather than after
        except ImportError:
            raise InputError(f"{path}: Parquet needs the package pyarrow", str(path)) from None
    return path


def shard_of(shard: Optional[Tuple[int, int]], path: Optional[Path]) -> Tuple[int, int]:
    """The first case of a shard, and the step to the next."""
    if shard is None:
        return 0, 1
    try:
        index, of = (operator.index(number) for number in shard)
    except (TypeError, ValueError):
        raise InputError(f"shard: {shard!r} is no pair of whole numbers", key="shard") from None
    if not 1 <= index <= of:
        raise InputError(f"shard: {index} is not from 1 to {of}", key="shard")
    if path is None:
        raise InputError("shard: needs out, where the parts meet", key="shard")
    return index - 1, of


def collect(
    executor: Executor,
    case: Case,
    rows: Sequence[Row],
    left: Iterator[int],
    parts: Optional[Parts],
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
            if parts:
                parts.keep(index, found[index])
        if shown:
            print(f"\r{len(found)} of {len(rows)} cases", end="", file=sys.stderr, flush=True)
    if shown:
        print(file=sys.stderr)
