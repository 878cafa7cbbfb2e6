class Sums(dict):
    def __init__(self, numbers):
        self.numbers = numbers

    def __missing__(self, size):
        value = 0
        for number in self.numbers[:size]:
            value += number
        return value


def total(numbers, sums=None):
    sums = sums or Sums(numbers)
    if not numbers:
        return 0
    total(numbers[:-1], sums)
    return sums[len(numbers)]
