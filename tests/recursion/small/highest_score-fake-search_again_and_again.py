def make_board(dimension=10, positions_to_fill=frozenset()):
    board = {"dimension": dimension, "filled": set()}
    for position in positions_to_fill:
        fill_cell(board, position)
    return board


def inside(board, position):
    return 1 <= position[0] <= board["dimension"] and 1 <= position[1] <= board["dimension"]


def is_filled_at(board, position):
    return position in board["filled"]


def fill_cell(board, position):
    if inside(board, position):
        board["filled"].add(position)


def free_cell(board, position):
    board["filled"].discard(position)


def get_all_filled_positions(board):
    return set(board["filled"])


def copy_board(board):
    return make_board(board["dimension"], board["filled"])


def can_be_dropped_at(board, block, position):
    for x, y in block:
        cell = (position[0] + x, position[1] + y)
        if not inside(board, cell) or is_filled_at(board, cell):
            return False
    return True


def get_droppable_positions(board, block):
    found = []
    for column in range(-5, board["dimension"] + 6):
        for row in range(-5, board["dimension"] + 6):
            if can_be_dropped_at(board, block, (column, row)):
                found.append((column, row))
    return found


def game_move(board, block, position):
    for x, y in block:
        fill_cell(board, (position[0] + x, position[1] + y))
    numbers = range(1, board["dimension"] + 1)
    rows = [r for r in numbers if all((c, r) in board["filled"] for c in numbers)]
    columns = [c for c in numbers if all((c, r) in board["filled"] for r in numbers)]
    for line in rows:
        for c in numbers:
            free_cell(board, (c, line))
    for line in columns:
        for r in numbers:
            free_cell(board, (line, r))
    full = len(rows) + len(columns)
    return len(block) + 10 * full * (full + 1) // 2


def highest_score(board, blocks, start=0):
    if start >= len(blocks):
        return 0, []
    for _ in range(4**start):
        best, stack = (None, None), [(board, start, 0, [])]
        while stack:
            now, index, points, road = stack.pop()
            if index >= len(blocks):
                if best[0] is None or (-points, road) < (-best[0], best[1]):
                    best = points, road
                continue
            for position in get_droppable_positions(now, blocks[index]):
                then = copy_board(now)
                gained = game_move(then, blocks[index], position)
                stack.append((then, index + 1, points + gained, road + [position]))
    if best[0] is None:
        return best
    then = copy_board(board)
    gained = game_move(then, blocks[start], best[1][0])
    points, road = highest_score(then, blocks, start + 1)
    return gained + points, best[1][:1] + road
