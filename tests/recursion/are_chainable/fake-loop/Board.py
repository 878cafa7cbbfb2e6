def are_chainable(board, positions):
    if len(positions) == 0:
        return True
    start = min(positions)
    gezien = {start}
    rij = [start]
    while rij:
        cel = rij.pop(0)
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gezien and is_filled_at(board, buur) == is_filled_at(board, cel):
                gezien.add(buur)
                rij.append(buur)
    return gezien.issuperset(positions)
