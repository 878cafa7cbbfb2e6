import csv


def read_marks(filename):
    with open(filename, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    head, *lines = rows
    marks = {}
    for name, *cells in lines:
        marks[name] = {}
        for column, cell in zip(head[1:], cells):
            if cell != "":
                marks[name][column] = int(cell)
    return marks


def average(marks, column):
    found = [marks[name][column] for name in marks if column in marks[name]]
    if found == []:
        raise ValueError("no marks")
    return sum(found) / len(found)


def ranking(marks):
    names = sorted(marks)
    names.sort(key=lambda name: sum(marks[name].values()), reverse=True)
    return names
