def are_chained_rec(positions):
    alle = set(positions)
    if len(alle) == 0:
        return True
    gezien = set()
    _bezoek(min(alle), alle, gezien)
    return gezien == alle


def _bezoek(positie, alle, gezien):
    gezien.add(positie)
    for buur in get_adjacent_positions(positie):
        if buur in alle and buur not in gezien:
            _bezoek(buur, alle, gezien)
