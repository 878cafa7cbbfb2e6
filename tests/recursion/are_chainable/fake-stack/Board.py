def are_chainable(board, positions):
    recursive_stack = list(positions)[-1:]
    bezocht = set()
    while len(recursive_stack) > 0:
        cel = recursive_stack.pop()
        bezocht.add(cel)
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in bezocht and is_filled_at(board, buur) == is_filled_at(board, cel):
                recursive_stack.append(buur)
    return set(positions) <= bezocht
