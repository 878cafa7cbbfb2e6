def are_chainable(board, positions):
    if len(positions) <= 1:
        return True
    start = min(positions)
    gebied = set()
    _verken(board, start, is_filled_at(board, start), gebied)
    return set(positions).issubset(gebied)


def _verken(board, cel, gevuld, gebied):
    if cel is None or cel in gebied or is_filled_at(board, cel) != gevuld:
        return
    gebied.add(cel)
    grootte = dimension(board)
    _verken(board, Position.left(grootte, cel), gevuld, gebied)
    _verken(board, Position.right(grootte, cel), gevuld, gebied)
    _verken(board, Position.up(grootte, cel), gevuld, gebied)
    _verken(board, Position.down(grootte, cel), gevuld, gebied)
