from fractions import Fraction
from functools import total_ordering


@total_ordering
class Ratio:
    def __init__(self, above, below=1):
        if not below:
            raise ZeroDivisionError("nothing below the line")
        self.value = Fraction(above, below)

    above = property(lambda self: self.value.numerator)
    below = property(lambda self: self.value.denominator)

    def __str__(self):
        return str(self.value)

    def __add__(self, other):
        return self.made(self.value + getattr(other, "value", other))

    def __mul__(self, other):
        return self.made(self.value * getattr(other, "value", other))

    def __eq__(self, other):
        return self.value == getattr(other, "value", other)

    def __lt__(self, other):
        return self.value < getattr(other, "value", other)

    def made(self, value):
        return Ratio(value.numerator, value.denominator)
