"""Arrays: bytes of the compiled part as NumPy arrays, and what users give as bytes."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import InputError

Floats = NDArray[np.float64]

#: A contact. Forces and impulses are those on the first body; the normal points into it.
CONTACT = np.dtype(
    [
        ("first", "i8"),
        ("second", "i8"),
        ("feature", "u8"),
        ("point", "f8", (3,)),
        ("normal", "f8", (3,)),
        ("gap", "f8"),
        ("normal_force", "f8"),
        ("friction_force", "f8", (3,)),
        ("normal_impulse", "f8"),
        ("friction_impulse", "f8", (3,)),
        ("slip", "f8", (3,)),
        ("margin", "f8"),
        ("static_friction", "f8"),
        ("dynamic_friction", "f8"),
        ("mode", "i8"),
        ("unique", "i8"),
    ]
)

#: A joint: force and torque on its first body, force along its free coordinate, and that coordinate.
JOINT = np.dtype(
    [
        ("force", "f8", (3,)),
        ("torque", "f8", (3,)),
        ("drive", "f8"),
        ("coordinate", "f8"),
        ("turn", "f8"),
    ]
)

MODES = ("open", "stick", "slip")
UNIQUE = {-1: "not examined", 0: "not-unique", 1: "unique", 2: "undecided"}


if TYPE_CHECKING:
    _Array = np.ndarray[Any, np.dtype[Any]]
else:
    _Array = np.ndarray


class Records(_Array):
    """A structured array with the names of bodies or joints; `to_pandas()` gives a table."""

    names: List[str]

    def __new__(cls, data: bytearray, dtype: "np.dtype[Any]", names: Sequence[str]) -> "Records":
        array = np.frombuffer(data, dtype=dtype).view(cls)
        array.names = list(names)
        return array

    def __array_finalize__(self, other: Any) -> None:
        self.names = getattr(other, "names", [])

    def __reduce__(self) -> Any:
        return (_records, (self.tobytes(), self.dtype, self.names, self.shape))

    def to_pandas(self) -> Any:
        """A table with a column for every number, and names in place of indices."""
        import pandas

        return pandas.DataFrame(self.columns())

    def columns(self) -> Dict[str, Any]:
        """Columns by name."""
        plain = self.view(np.ndarray)
        found: Dict[str, Any] = {}
        if self.dtype == JOINT:
            found["joint"] = list(self.names)
        for field in self.dtype.names or ():
            column = plain[field]
            if field in ("first", "second"):
                found[field] = [self.names[i] for i in column]
            elif field == "mode":
                found[field] = [MODES[i] for i in column]
            elif field == "unique":
                found[field] = [UNIQUE[int(i)] for i in column]
            elif column.ndim == 2:
                for k, axis in enumerate("xyz"):
                    found[f"{field}_{axis}"] = column[:, k]
            else:
                found[field] = column
        return found

    def _repr_html_(self) -> str:
        if self.ndim != 1 or self.dtype not in (CONTACT, JOINT):
            return f"<pre>{self!r}</pre>"
        return table(self.columns())


def _records(data: bytes, dtype: Any, names: List[str], shape: Any) -> Any:
    array = Records(bytearray(data), dtype, names)
    return array.reshape(shape)


def table(columns: Dict[str, Any]) -> str:
    """An HTML table."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    cells = ([f"{x:.6g}" if isinstance(x, float) else escape(str(x)) for x in row] for row in zip(*columns.values()))
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def floats(data: bytearray, *shape: int) -> Floats:
    """Doubles in a shape."""
    return np.frombuffer(data, dtype=np.float64).reshape(shape)


def given(what: str, value: ArrayLike, *shape: Optional[int]) -> Floats:
    """What a user gave, as finite doubles of a shape, in which None is any length."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: {error}", key=what) from None
    fits = array.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, array.shape)
    )
    if not fits:
        wanted = " × ".join("n" if n is None else str(n) for n in shape) or "a number"
        have = " × ".join(map(str, array.shape)) or "a number"
        raise InputError(f"{what}: has the shape {have}, expected {wanted}", key=what)
    if not np.isfinite(array).all():
        raise InputError(f"{what}: not all of it is finite", key=what)
    return array


def vector(what: str, value: ArrayLike, length: int = 3) -> List[float]:
    """A short vector as a list."""
    return [float(x) for x in given(what, value, length)]


def number(what: str, value: Any) -> float:
    """A finite number."""
    return float(given(what, value))


Parameters = Optional[Mapping[str, Any]]


def texts(parameters: Parameters) -> Dict[str, str]:
    """Parameters of a solver as texts."""
    if parameters is None:
        return {}
    if not isinstance(parameters, Mapping):
        raise InputError(f"parameters: a {type(parameters).__name__} is no dict", key="parameters")
    return {str(key): str(value) for key, value in parameters.items()}


Name = Union[str, int]


def find(what: str, names: Sequence[str], name: Name) -> int:
    """The index of a name, or an index that is checked."""
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        if -len(names) <= name < len(names):
            return int(name) % len(names)
        raise InputError(f"{what} {name}: there are {len(names)}", key=what)
    if isinstance(name, str) and name in names:
        return list(names).index(name)
    import difflib

    near = difflib.get_close_matches(str(name), names, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InputError(f"{what}: unknown {name!r}{hint}", key=what)
