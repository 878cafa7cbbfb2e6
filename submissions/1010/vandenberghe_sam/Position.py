def is_proper_position(position):
    """
        TO DO: complete this function.
    """
    pass


def is_proper_position_for_board(dimension, position):
    """
        TO DO: complete this function.
    """
    pass


def left(dimension, position):
    """
        TO DO: complete this function.
    """
    pass


def right(dimension, position):
    """
        TO DO: complete this function.
    """
    pass


def up(dimension, position):
    """
        TO DO: complete this function.
    """
    pass


def down(dimension, position):
    """
        TO DO: complete this function.
    """
    pass


def next(dimension, position):
    """
        TO DO: complete this function.
    """
    pass


def translate_over(position, delta_x, delta_y):
    """
        TO DO: complete this function.
    """
    pass


def get_adjacent_positions(position, dimension=None):
    """
        TO DO: complete this function.
    """
    pass


def is_adjacent_to(position, other_positions):
    """
        TO DO: complete this function.
    """
    pass


def get_surrounding_positions(position, dimension=None):
    """
        TO DO: complete this function.
    """
    pass


def are_chained(positions):
    """
        TO DO: complete this function.
    """
    pass


def are_chained_rec(positions):
    """
        TO DO: complete this function.
    """
    pass
