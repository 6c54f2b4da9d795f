"""Exceptions."""

from __future__ import annotations

from typing import Optional

__all__ = ["InputError", "SolverError"]


class InputError(ValueError):
    """An input that cannot be used: what is wrong, and where it stands."""

    def __init__(
        self,
        message: str,
        file: Optional[str] = None,
        line: Optional[int] = None,
        key: Optional[str] = None,
    ) -> None:
        super().__init__(message, file, line, key)
        self.file = file
        self.line = line
        self.key = key

    def __str__(self) -> str:
        return str(self.args[0])


class SolverError(RuntimeError):
    """A solver that does not model a problem, or broke down."""
