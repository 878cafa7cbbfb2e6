def _betreed(board, cel, gevuld, gezien):
    gezien.add(cel)
    for buur in Position.get_adjacent_positions(cel, dimension(board)):
        goed = buur not in gezien and is_filled_at(board, buur) == gevuld
        KEUZE["ja" if goed else "nee"](board, buur, gevuld, gezien)


def _laat(board, cel, gevuld, gezien):
    return None


KEUZE = {"ja": _betreed, "nee": _laat}


def are_chainable(board, positions):
    gezien = set()
    if len(positions) > 0:
        eerste = list(positions)[0]
        KEUZE["ja"](board, eerste, is_filled_at(board, eerste), gezien)
    return gezien.issuperset(positions)
