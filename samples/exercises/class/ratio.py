"""The reference: ratios in lowest terms."""

from math import gcd


class Ratio:
    """A whole number over another; it never changes."""

    def __init__(self, above, below=1):
        if below == 0:
            raise ZeroDivisionError("nothing below the line")
        shared = gcd(above, below) if below > 0 else -gcd(above, below)
        self._above, self._below = above // shared, below // shared

    @property
    def above(self):
        """The part above the line."""
        return self._above

    @property
    def below(self):
        """The part below the line, at least 1."""
        return self._below

    def __str__(self):
        return str(self._above) if self._below == 1 else f"{self._above}/{self._below}"

    def __add__(self, other):
        other = _ratio(other)
        return Ratio(
            self._above * other.below + other.above * self._below, self._below * other.below
        )

    def __mul__(self, other):
        other = _ratio(other)
        return Ratio(self._above * other.above, self._below * other.below)

    def __eq__(self, other):
        other = _ratio(other)
        return (self._above, self._below) == (other.above, other.below)

    def __hash__(self):
        return hash((self._above, self._below))

    def __lt__(self, other):
        other = _ratio(other)
        return self._above * other.below < other.above * self._below


def _ratio(number):
    return number if isinstance(number, Ratio) else Ratio(number)
