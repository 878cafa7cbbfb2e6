import numpy as np


def standardised(values):
    spread = np.std(values, ddof=1)
    if spread == 0:
        raise ValueError("no spread")
    return (values - np.mean(values)) / spread


def outliers(values, bound):
    return values[abs(standardised(values)) > bound]


def moving_mean(values, width):
    return np.convolve(values, np.ones(width) / width, mode="valid")
