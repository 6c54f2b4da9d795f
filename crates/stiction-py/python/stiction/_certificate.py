"""Certificates of runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Dict, Optional, Tuple

__all__ = ["Certificate", "Law"]


@dataclass(frozen=True)
class Law:
    """What a run is worth by one law."""

    name: str
    holds: bool
    #: The worst value; None where the law does not apply.
    worst: Optional[float]
    #: The largest value that holds; None for laws that only inform.
    bound: Optional[float]
    #: When it was (s), and where.
    time: Optional[float]
    place: str
    sentence: str


@dataclass(frozen=True)
class Certificate:
    """What a run is worth: the laws one by one, and which methods answered."""

    holds: bool
    frames: int
    #: The solver that was chosen, and how many answers each method gave.
    solver: str
    answers: Dict[str, int]
    laws: Tuple[Law, ...]

    @classmethod
    def _of(cls, text: str) -> "Certificate":
        data = json.loads(text)
        laws = tuple(Law(**law) for law in data.pop("laws"))
        return cls(laws=laws, **data)

    def __bool__(self) -> bool:
        return self.holds

    def __getitem__(self, law: str) -> Law:
        for found in self.laws:
            if found.name == law:
                return found
        raise KeyError(law)

    def _rows(self) -> "list[Tuple[str, str, str, str, str]]":
        def text(number: Optional[float], style: str) -> str:
            return "-" if number is None else format(number, style)

        return [
            (law.name, text(law.worst, ".1e"), text(law.bound, ".0e"), text(law.time, ".4f"), law.place)
            for law in self.laws
        ]

    def __str__(self) -> str:
        lines = [f"{'law':<12}  {'worst':>9}  {'bound':>7}  {'at s':>9}  where"]
        for name, worst, bound, time, place in self._rows():
            lines.append(f"  {name:<10}  {worst:>9}  {bound:>7}  {time:>9}  {place}".rstrip())
        broken = [law.sentence for law in self.laws if not law.holds]
        lines += [f"NOT CERTIFIED: {sentence}" for sentence in broken]
        return "\n".join(lines + ([] if broken else ["certified: every law holds"]))

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("law", "worst", "bound", "at s", "where"))
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._rows()
        )
        verdict = "certified: every law holds" if self.holds else "NOT CERTIFIED"
        return f"<table><caption>{verdict}</caption><tr>{head}</tr>{rows}</table>"
