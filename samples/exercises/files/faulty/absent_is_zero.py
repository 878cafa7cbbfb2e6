import csv


def read_marks(filename):
    marks = {}
    with open(filename) as file:
        for row in csv.DictReader(file):
            name = row.pop("name")
            marks[name] = {column: int(mark or 0) for column, mark in row.items()}
    return marks


def average(marks, column):
    found = [of_student[column] for of_student in marks.values() if column in of_student]
    if not found:
        raise ValueError("no marks")
    return sum(found) / len(found)


def ranking(marks):
    return sorted(marks, key=lambda name: (-sum(marks[name].values()), name))
