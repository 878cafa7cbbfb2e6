def are_chainable(board, positions, gebied=None, niveau=0):
    if gebied is None:
        gebied = list(positions)[:1]
        for cel in gebied:
            for buur in Position.get_adjacent_positions(cel, dimension(board)):
                if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                    gebied.append(buur)
    if niveau >= len(positions):
        return set(positions) <= set(gebied)
    return are_chainable(board, positions, gebied, niveau + 1)
