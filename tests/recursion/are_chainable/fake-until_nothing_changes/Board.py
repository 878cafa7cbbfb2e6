def are_chainable(board, positions):
    if len(positions) == 0:
        return True
    gebied = {list(positions)[0]}
    groter = True
    while groter:
        groter = False
        for cel in list(gebied):
            for buur in Position.get_adjacent_positions(cel, dimension(board)):
                if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                    gebied.add(buur)
                    groter = True
    return set(positions) <= gebied
