"""The reference: a figure of measured temperatures."""

import matplotlib.pyplot as plt


def above(temperatures, bound):
    """Return on how many days it was warmer than a bound."""
    return sum(each > bound for each in temperatures)


def plot(days, temperatures, bound):
    """Return a plot of what was measured, with a line for the bound."""
    _, axes = plt.subplots()
    axes.plot(days, temperatures, "o-", label="measured")
    axes.plot([days[0], days[-1]], [bound, bound], "r--", label="bound")
    axes.set_title(f"{above(temperatures, bound)} warm days")
    axes.set_xlabel("day")
    axes.set_ylabel("degrees")
    axes.legend()
    return axes
