import matplotlib.pyplot as plt
import numpy as np


def above(temperatures, bound):
    return int(np.count_nonzero(np.array(temperatures) > bound))


def plot(days, temperatures, bound):
    plt.figure(figsize=(8, 4))
    plt.plot(np.array(days), np.array(temperatures), color="green", label="measured")
    plt.plot((days[0], days[-1]), 2 * (bound,), label="bound")
    plt.xlabel("day")
    plt.ylabel("degrees")
    plt.title(str(above(temperatures, bound)) + " warm days")
    plt.legend(loc="upper left")
    plt.tight_layout()
    plt.show()
    return plt.gca()
