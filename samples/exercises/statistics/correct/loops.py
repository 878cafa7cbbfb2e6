import numpy as np


def standardised(values):
    middle = sum(values) / len(values)
    spread = (sum((value - middle) ** 2 for value in values) / len(values)) ** 0.5
    if spread == 0:
        raise ValueError("no spread")
    return np.array([(value - middle) / spread for value in values])


def outliers(values, bound):
    far = [value for value, z in zip(values, standardised(values)) if abs(z) > bound]
    return np.array(far, dtype=float)


def moving_mean(values, width):
    starts = range(len(values) - width + 1)
    return np.array([np.mean(values[start : start + width]) for start in starts])
