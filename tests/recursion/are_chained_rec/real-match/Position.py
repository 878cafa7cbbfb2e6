def are_chained_rec(positions, keten=()):
    over = sorted(set(positions) - set(keten))
    match over, [p for p in over if is_adjacent_to(p, keten)]:
        case [], _:
            return True
        case [eerste, *_], _ if keten == ():
            return are_chained_rec(over, (eerste,))
        case _, [raak, *_]:
            return are_chained_rec(over, (*keten, raak))
        case _:
            return False
