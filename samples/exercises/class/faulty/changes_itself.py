from math import gcd


class Ratio:
    def __init__(self, above, below=1):
        if below == 0:
            raise ZeroDivisionError("nothing below the line")
        self.above = above
        self.below = below
        self.simplify()

    def simplify(self):
        shared = gcd(self.above, self.below)
        if self.below < 0:
            shared = -shared
        self.above //= shared
        self.below //= shared
        return self

    def __str__(self):
        if self.below == 1:
            return str(self.above)
        return f"{self.above}/{self.below}"

    def __add__(self, other):
        if isinstance(other, int):
            other = Ratio(other)
        self.above = self.above * other.below + other.above * self.below
        self.below = self.below * other.below
        return self.simplify()

    def __mul__(self, other):
        if isinstance(other, int):
            other = Ratio(other)
        return Ratio(self.above * other.above, self.below * other.below)

    def __eq__(self, other):
        return self.above == other.above and self.below == other.below

    def __lt__(self, other):
        return self.above * other.below < other.above * self.below
