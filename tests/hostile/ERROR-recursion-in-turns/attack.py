"""Calls itself by way of others: properties, lambdas, look-ups that are not there."""

class Mirror:
    def __getattr__(self, name):
        return getattr(self, name + "x"[:0])


def answer(n):
    return Mirror().token


def double(n):
    return 2 * n
