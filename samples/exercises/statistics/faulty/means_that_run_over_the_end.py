import numpy as np


def standardised(values):
    if values.std() == 0:
        raise ValueError("no spread")
    return (values - values.mean()) / values.std()


def outliers(values, bound):
    return values[standardised(values) > bound]


def moving_mean(values, width):
    return np.array([values[i : i + width].mean() for i in range(len(values))])
