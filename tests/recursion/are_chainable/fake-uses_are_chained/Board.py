def are_chainable(board, positions):
    groep = set(positions)
    grootte = -1
    while not Position.are_chained(groep) and grootte < len(groep):
        grootte = len(groep)
        for cel in list(groep):
            for buur in Position.get_adjacent_positions(cel, dimension(board)):
                if is_filled_at(board, buur) == is_filled_at(board, cel):
                    groep.add(buur)
    return Position.are_chained(groep)
