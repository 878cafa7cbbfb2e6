def are_chained_rec(positions):
    posities = list(positions)
    if len(posities) <= 1:
        return True
    keten = [posities[0]]
    for positie in keten:
        if are_chained_rec([positie]):
            for andere in posities:
                if andere not in keten and is_adjacent_to(andere, [positie]):
                    keten.append(andere)
    return set(keten) == set(posities)
