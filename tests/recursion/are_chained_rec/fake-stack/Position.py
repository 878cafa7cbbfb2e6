def are_chained_rec(positions):
    alle = set(positions)
    recursive_calls = [min(alle)] if alle else []
    gezien = set(recursive_calls)
    while recursive_calls:
        positie = recursive_calls.pop()
        for buur in get_adjacent_positions(positie):
            if buur in alle and buur not in gezien:
                gezien.add(buur)
                recursive_calls.append(buur)
    return gezien == alle
