def are_chained_rec(positions, hier=None, gezien=None):
    if hier is not None:
        if hier in positions and hier not in gezien:
            gezien.add(hier)
            x, y = hier
            are_chained_rec(positions, (x - 1, y), gezien)
            are_chained_rec(positions, (x + 1, y), gezien)
            are_chained_rec(positions, (x, y - 1), gezien)
            are_chained_rec(positions, (x, y + 1), gezien)
        return None
    alle = set(positions)
    gezien = set()
    if alle:
        are_chained_rec(alle, max(alle), gezien)
    return gezien == alle
