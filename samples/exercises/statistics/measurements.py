"""The reference: small statistics on arrays."""

import numpy as np


def standardised(values):
    """Return how many standard deviations each value is from the mean."""
    spread = values.std()
    if spread == 0:
        raise ValueError("no spread")
    return (values - values.mean()) / spread


def outliers(values, bound):
    """Return the values that are further from the mean than others."""
    return values[np.abs(standardised(values)) > bound]


def moving_mean(values, width):
    """Return the mean of each so many values that follow each other."""
    sums = np.cumsum(np.concatenate([[0.0], values]))
    return (sums[width:] - sums[:-width]) / width
