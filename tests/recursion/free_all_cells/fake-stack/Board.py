def free_all_cells(board, positions):
    recursive_stack = [list(positions)]
    while recursive_stack:
        rest = recursive_stack.pop()
        if rest:
            free_cell(board, rest[0])
            recursive_stack.append(rest[1:])
