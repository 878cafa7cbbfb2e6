def read_marks(filename):
    marks = {}
    with open(filename) as file:
        columns = file.readline().strip().split(",")
        for line in file:
            cells = line.strip().split(",")
            marks[cells[0]] = {}
            for index in range(1, len(cells)):
                if cells[index]:
                    marks[cells[0]][columns[index]] = int(cells[index])
    return marks


def average(marks, column):
    total = 0
    count = 0
    for name in marks:
        if column in marks[name]:
            total += marks[name][column]
            count += 1
    if count == 0:
        raise ValueError("no marks")
    return total / count


def ranking(marks):
    return sorted(marks, key=lambda name: sum(marks[name].values()), reverse=True)
