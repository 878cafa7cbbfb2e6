def are_chainable(board, positions):
    match list(positions):
        case [] | [_]:
            return True
        case [eerste, *_]:
            gezien = {eerste}
            _bekijk(board, eerste, _buren(board, eerste), gezien)
            return gezien >= set(positions)


def _buren(board, cel):
    return list(Position.get_adjacent_positions(cel, dimension(board)))


def _bekijk(board, cel, buren, gezien):
    match buren:
        case [buur, *rest]:
            if buur not in gezien and is_filled_at(board, buur) == is_filled_at(board, cel):
                gezien.add(buur)
                _bekijk(board, buur, _buren(board, buur), gezien)
            _bekijk(board, cel, rest, gezien)
