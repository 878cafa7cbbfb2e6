# Fien Willems - het spel
import itertools

import Block
import Board


def game_move(board, block, position):
    Board.drop_at(board, block, position)
    lines = len(Board.get_all_filled_rows(board)) + len(Board.get_all_filled_columns(board))
    Board.clear_full_rows_and_columns(board)
    return len(Block.get_all_dot_positions(block)) + 10 * lines * (lines + 1) // 2


def highest_score(board, blocks, start=0):
    """
        Return the highest possible score for dropping the given blocks, and
        the positions at which they must be dropped.
    """
    if start >= len(blocks):
        return (0, [])
    beste = (None, None)
    for positie in Board.get_droppable_positions(board, blocks[start]):
        kopie = Board.copy_board(board)
        score = game_move(kopie, blocks[start], positie)
        rest, posities = highest_score(kopie, blocks, start + 1)
        if rest is not None and (beste[0] is None or score + rest > beste[0]):
            beste = (score + rest, [positie] + posities)
    return beste


def play_greedy(board, blocks):
    totaal = 0
    for i in range(0, len(blocks), 3):
        beste_score, beste_volgorde, beste_posities = None, None, None
        for volgorde in itertools.permutations(blocks[i:i + 3]):
            score, posities = highest_score(board, volgorde)
            if score is not None and (beste_score is None or score > beste_score):
                beste_score, beste_volgorde, beste_posities = score, volgorde, posities
        if beste_score is None:
            return None
        for j in range(len(beste_volgorde)):
            game_move(board, beste_volgorde[j], beste_posities[j])
        totaal += beste_score
    return totaal


def play_game():
    board = Board.make_board(5)
    score = 0
    block = Block.select_standard_block()
    while len(Board.get_droppable_positions(board, block)) > 0:
        Board.print_board(board)
        Block.print_block(block)
        column = int(input("Kolom: "))
        row = int(input("Rij: "))
        if Board.can_be_dropped_at(board, block, (column, row)):
            score += game_move(board, block, (column, row))
            block = Block.select_standard_block()
    print("Score:", score)


if __name__ == "__main__":
    play_game()
