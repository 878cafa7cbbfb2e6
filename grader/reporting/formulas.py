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
_SIGNS: Final = dict(item.split("=") for item in _TABLE.split())


class _UnknownSign(Exception):
    """Raised for a formula that plain text cannot express."""


def with_plain_formulas(words: str) -> str:
    """Return `words` of a spec with TeX formulas converted to plain text.

    A formula that plain text cannot express, such as a fraction, is left as it is.
    """
    return _FORMULA.sub(_convert_formula, words)


def _convert_formula(formula: re.Match[str]) -> str:
    """Return the text for a match of `_FORMULA`, which is unchanged if it cannot be converted."""
    tex = formula[1] or formula[2]
    try:
        return " ".join(_convert_tex(tex).split())
    except _UnknownSign:
        return formula[0]


def _convert_tex(tex: str) -> str:
    """Return the formula `tex` as plain text; raise `_UnknownSign` if that is impossible."""
    text = _NUMBER_SETS.sub(lambda match: _SETS[match[1]], _STYLED.sub(r"\1", tex))
    text = _SMALL_DIGITS.sub(
        lambda match: (match[2] or match[3]).translate(_DIGITS[match[1]]), text
    )
    if _GROUP.search(text):
        raise _UnknownSign
    return _COMMAND.sub(_sign, text)


def _sign(command: re.Match[str]) -> str:
    """Return the sign for a TeX command; raise `_UnknownSign` if there is none."""
    if command[2] is not None:
        return command[2] if command[2] in "{}%_#&$" else " "
    if command[1] not in _SIGNS:
        raise _UnknownSign
    # TeX drops the space that ends the name of a command, but readers need it.
    return f"{_SIGNS[command[1]]}{' ' if command[0][-1].isspace() else ''}"
