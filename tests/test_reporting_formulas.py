"""Formulas in quotes of a spec, as people read them."""

from __future__ import annotations

import pytest

from grader.reporting.formulas import with_plain_formulas


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (r"een wit $$2 \times 2$$ vierkant", "een wit 2 × 2 vierkant"),
        (r"puzzel $$\mathcal{Y}$$ en rij $r \in \mathbb{N}$", "puzzel Y en rij r ∈ ℕ"),
        (r"$$0 \leq r < n$$", "0 ≤ r < n"),
        (r"$\{x_1, \ldots, x^{12}\}$", "{x₁, …, x¹²}"),
        (r"$\left(a, b\right)$, $100\,\%$", "(a, b), 100 %"),
    ],
)
def test_formulas_become_text(words: str, read: str) -> None:
    """Signs, letters in other shapes, and small numbers are those of a screen."""
    assert read == with_plain_formulas(words)


@pytest.mark.parametrize(
    "words",
    [
        "Het kost $5 of $6.",
        "a $ b $ c",
        r"De helft: $\frac{1}{2}$.",
        r"Een pad als C:\times\in.",
        r"$\unknown x$",
        "$x_{n+1}$",
        "",
    ],
)
def test_what_is_no_simple_formula_stays(words: str) -> None:
    """Prices, fractions and commands that are not known stand as they were written."""
    assert words == with_plain_formulas(words)
