from contextlib import contextmanager


@contextmanager
def _na_afloop_leeg(board, position):
    try:
        yield
    finally:
        free_cell(board, position)


def free_all_cells(board, positions):
    if len(positions) > 0:
        with _na_afloop_leeg(board, positions[-1]):
            free_all_cells(board, positions[:-1])
