"""Values as TOML text."""

from __future__ import annotations

import math
from typing import Any, Dict, List

import numpy as np

from ._errors import InputError


def text(string: str) -> str:
    """A string in quotes."""
    marks = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    plain = (marks.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in string)
    return '"' + "".join(plain) + '"'


def value(key: str, given: Any) -> str:
    """A value: a truth, number, text, list or table."""
    if isinstance(given, (bool, np.bool_)):
        return "true" if given else "false"
    if isinstance(given, (int, np.integer)):
        return str(int(given))
    if isinstance(given, (float, np.floating)):
        number = float(given)
        if math.isnan(number):
            raise InputError(f"{key}: is not a number", key=key)
        return repr(number)
    if isinstance(given, str):
        return text(given)
    if isinstance(given, np.ndarray):
        return value(key, given.tolist())
    if isinstance(given, dict):
        return "{ " + ", ".join(f"{text(str(k))} = {value(key, v)}" for k, v in given.items()) + " }"
    if isinstance(given, (list, tuple)):
        return "[" + ", ".join(value(key, item) for item in given) + "]"
    raise InputError(f"{key}: a {type(given).__name__} is none of number, text, list and dict", key=key)


def tables(name: str, entries: List[Dict[str, Any]]) -> str:
    """Entries as an array of tables, one key per line."""
    made = []
    for entry in entries:
        lines = [f"{key} = {value(key, given)}" for key, given in entry.items()]
        made.append("\n".join([f"[[{name}]]", *lines, ""]))
    return "\n".join(made)
