from functools import wraps


def negeer_lege_lijst(functie):
    @wraps(functie)
    def wrapper(board, positions):
        if len(positions) > 0:
            functie(board, positions)

    return wrapper


@negeer_lege_lijst
def free_all_cells(board, positions):
    free_cell(board, positions[0])
    free_all_cells(board, positions[1:])
