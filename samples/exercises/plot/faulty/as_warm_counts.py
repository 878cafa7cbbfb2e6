import matplotlib.pyplot as plt


def above(temperatures, bound):
    return sum(each >= bound for each in temperatures)


def plot(days, temperatures, bound):
    _, axes = plt.subplots()
    axes.plot(days, temperatures, label="measured")
    axes.plot([days[0], days[-1]], [bound, bound], label="bound")
    axes.set(title=f"{above(temperatures, bound)} warm days", xlabel="day", ylabel="degrees")
    axes.legend()
    return axes
