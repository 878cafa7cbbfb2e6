from math import gcd


class Ratio:
    def __init__(self, above, below=1):
        if below == 0:
            raise ZeroDivisionError("nothing below the line")
        shared = gcd(above, below)
        if below < 0:
            shared = -shared
        self.above = above // shared
        self.below = below // shared

    def __str__(self):
        return str(self.above) if self.below == 1 else f"{self.above}/{self.below}"

    def __add__(self, other):
        return Ratio(self.above * other.below + other.above * self.below, self.below * other.below)

    def __mul__(self, other):
        return Ratio(self.above * other.above, self.below * other.below)

    def __eq__(self, other):
        return self.above == other.above and self.below == other.below

    def __lt__(self, other):
        return self.above / self.below < other.above / other.below
