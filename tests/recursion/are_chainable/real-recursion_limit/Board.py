import sys


def are_chainable(board, positions):
    sys.setrecursionlimit(max(sys.getrecursionlimit(), dimension(board) ** 2 + 500))
    if len(positions) == 0:
        return True
    hier = list(positions)[0]
    return not (set(positions) - _bereikbaar(board, hier, {hier}))


def _bereikbaar(board, cel, gezien):
    for stap in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        buur = Position.translate_over(cel, stap[0], stap[1])
        if buur in gezien or not Position.is_proper_position_for_board(dimension(board), buur):
            continue
        if is_filled_at(board, buur) == is_filled_at(board, cel):
            gezien.add(buur)
            _bereikbaar(board, buur, gezien)
    return gezien
