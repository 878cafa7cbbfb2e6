def are_chained_rec(positions, rand=None):
    over = set(positions)
    kan = over if rand is None else over & rand
    if not kan:
        return not over
    positie = kan.pop()
    return are_chained_rec(over - {positie}, (rand or set()) | get_adjacent_positions(positie))


are_chained_rec.__code__ = are_chained.__code__.replace(co_name="are_chained_rec")


are_chained_rec.__defaults__ = None
