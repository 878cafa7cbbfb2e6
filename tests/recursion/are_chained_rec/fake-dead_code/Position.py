def are_chained_rec(positions, geketend=frozenset()):
    resultaat = are_chained(positions)
    return resultaat
    positie = min(positions)
    return are_chained_rec(positions - {positie}, geketend | {positie})
