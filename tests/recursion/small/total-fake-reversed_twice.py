def total(numbers, table=None):
    """A table of prefix sums is built by a loop; each call goes to the next cell of it."""
    if table is None:
        table = [0]
        for number in numbers:
            table.append(table[-1] + number)
    if len(table) == 1:
        return table[0]
    return total(numbers, table[1:])
