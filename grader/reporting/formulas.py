"""Converts TeX formulas in quotes from a spec to plain text, the way readers of the spec saw them.

A spec is Markdown with TeX formulas between dollar signs. As in Pandoc, there is no whitespace
after the first dollar sign or before the last one, and no digit after the last one, so that prices
are not formulas.
"""

from __future__ import annotations

import re
from typing import Final

_FORMULA: Final = re.compile(r"\$\$(.+?)\$\$|\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\d)")
_COMMAND: Final = re.compile(r"\\(?:([A-Za-z]+)|([,;:! {}%_#&$]))(?:\s+(?=[A-Za-z]))?")
_STYLED: Final = re.compile(r"\\(?:math(?:cal|rm|it|bf|sf)|text|operatorname) *{([^{}]*)}")
_NUMBER_SETS: Final = re.compile(r"\\mathbb *{?([NZQRC])\b}?")
_GROUP: Final = re.compile(r"(?<!\\)[{}]")
_SMALL_DIGITS: Final = re.compile(r"([_^]) *(?:{(\d+)}|(\d))")
_SETS: Final = {"N": "ℕ", "Z": "ℤ", "Q": "ℚ", "R": "ℝ", "C": "ℂ"}
_DIGITS: Final = {
    "_": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"),
    "^": str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"),
}
_TABLE: Final = """
    times=× cdot=· div=÷ pm=± sqrt=√ infty=∞ leq=≤ le=≤ geq=≥ ge=≥ neq=≠ ne=≠ lt=< gt=> approx=≈
    equiv=≡ in=∈ notin=∉ subset=⊂ subseteq=⊆ cup=∪ cap=∩ emptyset=∅ setminus=∖ land=∧ lor=∨ lnot=¬
    forall=∀ exists=∃ to=→ rightarrow=→ mapsto=↦ ldots=… dots=… cdots=… lfloor=⌊ rfloor=⌋ lceil=⌈
    rceil=⌉ sum=∑ prod=∏ pi=π alpha=α beta=β gamma=γ delta=δ Delta=Δ epsilon=ε lambda=λ mu=μ sigma=σ
    left= right= quad= log=log min=min max=max mod=mod
"""
_SYMBOLS: Final = dict(item.split("=") for item in _TABLE.split())


class _UnknownCommand(Exception):
    """Raised for a formula with a command that plain text cannot express."""


def with_plain_formulas(text: str) -> str:
    """Return `text`, a quote from a spec, with TeX formulas converted to plain text.

    A formula that plain text cannot express, such as a fraction, is left as it is.
    """
    return _FORMULA.sub(_convert_formula, text)


def _convert_formula(formula: re.Match[str]) -> str:
    """Return a match of `_FORMULA` as plain text, or unchanged if that is impossible."""
    tex = formula[1] or formula[2]
    try:
        return " ".join(_convert_tex(tex).split())
    except _UnknownCommand:
        return formula[0]


def _convert_tex(tex: str) -> str:
    """Return the formula `tex` as plain text; raise `_UnknownCommand` if that is impossible."""
    text = _NUMBER_SETS.sub(lambda match: _SETS[match[1]], _STYLED.sub(r"\1", tex))
    text = _SMALL_DIGITS.sub(
        lambda match: (match[2] or match[3]).translate(_DIGITS[match[1]]), text
    )
    # Remaining braces belong to commands with arguments, such as fractions.
    if _GROUP.search(text):
        raise _UnknownCommand
    return _COMMAND.sub(_symbol, text)


def _symbol(command: re.Match[str]) -> str:
    """Return the symbol for a TeX `command`, or raise `_UnknownCommand` if there is none.

    The command for a space of any width becomes a space, and an escaped character itself.
    """
    if command[2] is not None:
        return command[2] if command[2] in "{}%_#&$" else " "
    if command[1] not in _SYMBOLS:
        raise _UnknownCommand
    # TeX drops the space that ends the name of a command, but readers need it.
    return f"{_SYMBOLS[command[1]]}{' ' if command[0][-1].isspace() else ''}"
