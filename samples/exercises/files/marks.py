"""The reference: marks in a CSV file."""

import csv


def read_marks(filename):
    """Return the marks of each student by column, by name."""
    with open(filename, encoding="utf-8", newline="") as file:
        return {
            row.pop("name"): {column: int(mark) for column, mark in row.items() if mark}
            for row in csv.DictReader(file)
        }


def average(marks, column):
    """Return the average of the marks in a column."""
    found = [of_student[column] for of_student in marks.values() if column in of_student]
    if not found:
        raise ValueError("no marks")
    return sum(found) / len(found)


def ranking(marks):
    """Return the names of all students, the highest total first."""
    return sorted(marks, key=lambda name: (-sum(marks[name].values()), name))
