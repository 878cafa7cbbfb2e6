def are_chained_rec(positions):
    return len(_groepen(list(positions))) <= 1


def _groepen(positions):
    """Return a list of sets: the groups in which the positions fall apart."""
    if len(positions) <= 1:
        return [set(positions)] if positions else []
    midden = len(positions) // 2
    groepen = _groepen(positions[:midden])
    for groep in _groepen(positions[midden:]):
        rakend = [g for g in groepen if _raken(groep, g)]
        groepen = [g for g in groepen if g not in rakend]
        groepen.append(groep.union(*rakend))
    return groepen


def _raken(groep, andere):
    for positie in groep:
        if positie in andere or is_adjacent_to(positie, andere):
            return True
    return False
