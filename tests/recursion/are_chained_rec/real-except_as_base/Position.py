def are_chained_rec(positions, rand=None):
    over = set(positions)
    kan = over if rand is None else over & rand
    try:
        positie = set(kan).pop()
    except KeyError:
        return len(over) == 0
    return are_chained_rec(over - {positie}, (rand or set()) | get_adjacent_positions(positie))
