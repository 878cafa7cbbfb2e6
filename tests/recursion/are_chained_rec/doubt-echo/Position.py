def are_chained_rec(positions, antwoord=None, niveau=0):
    if antwoord is None:
        antwoord = are_chained(positions)
    if niveau == len(positions):
        return antwoord
    return are_chained_rec(positions, antwoord, niveau + 1)
