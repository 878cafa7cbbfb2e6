def are_chained_rec(positions, verzameld=()):
    rest = list(positions)
    if rest == []:
        return are_chained(verzameld)
    return are_chained_rec(rest[1:], (*verzameld, rest[0]))
