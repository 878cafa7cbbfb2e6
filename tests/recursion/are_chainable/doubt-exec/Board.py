exec(
    "def _vul(board, cel, gezien):\n"
    "    gezien.add(cel)\n"
    "    for b in Position.get_adjacent_positions(cel, dimension(board)):\n"
    "        if b not in gezien and is_filled_at(board, b) == is_filled_at(board, cel):\n"
    "            _vul(board, b, gezien)\n"
)


def are_chainable(board, positions):
    gezien = set()
    if len(positions) > 0:
        _vul(board, list(positions)[0], gezien)
    return gezien.issuperset(positions)
