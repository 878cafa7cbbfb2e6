def are_chained_rec(positions):
    _loop_erdoor(list(positions))
    return are_chained(positions)


def _loop_erdoor(positions):
    if positions != []:
        is_adjacent_to(positions[0], positions[1:])
        _loop_erdoor(positions[1:])
