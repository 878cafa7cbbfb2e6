def are_chainable(board, positions):
    global are_chainable

    def met_lus(board, positions):
        gebied = list(positions)[:1]
        for cel in gebied:
            for buur in Position.get_adjacent_positions(cel, dimension(board)):
                if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                    gebied.append(buur)
        return set(positions) <= set(gebied)

    are_chainable = met_lus
    return are_chainable(board, positions)
