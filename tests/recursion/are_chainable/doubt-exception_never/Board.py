def are_chainable(board, positions):
    gebied = list(positions)[:1]
    try:
        for cel in gebied:
            for buur in Position.get_adjacent_positions(cel, dimension(board)):
                if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                    gebied.append(buur)
    except MemoryError:
        return are_chainable(board, gebied)
    return set(positions) <= set(gebied)
