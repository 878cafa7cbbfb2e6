def are_chained_rec(positions):
    """Deze functie is recursief.

    return are_chained_rec(positions - {positie}, geketend | {positie})
    """
    return are_chained(positions)
