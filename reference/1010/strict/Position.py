# Goes on where Position.py ends: the assumptions of each function, as its documentation has them.


class OutsideText(BaseException):
    """A call that the assumptions rule out."""


def promised(is_so, what):
    """Interrupt the scene where something is not so."""
    if not is_so:
        raise OutsideText(what)


_CALLS = []


def with_assumptions(names, assumptions):
    """Have each of the functions with these names look at its assumptions first.

    What they call themselves is no call of a scene.
    """
    for name, assumption in assumptions.items():
        names[name] = _assuming(names[name], assumption)


def _assuming(function, assumption):
    def called(*given, **named):
        if not _CALLS:
            _CALLS.append(assumption)
            try:
                assumption(*given, **named)
            finally:
                _CALLS.pop()
        _CALLS.append(function)
        try:
            return function(*given, **named)
        finally:
            _CALLS.pop()

    return called


def proper(*positions):
    promised(all(map(is_proper_position, positions)), f"not all proper positions: {positions}")


def dimension_or_none(dimension):
    is_so = dimension is None or (is_integer(dimension) and dimension > 0)
    promised(is_so, f"{dimension!r} is no dimension")


def on_board(dimension, position):
    is_so = is_proper_position_for_board(dimension, position)
    promised(is_so, f"{position!r} is not proper for a board of dimension {dimension!r}")


def collection(positions, kinds=(list, tuple, set, frozenset)):
    promised(type(positions) in kinds, f"not the right collection: {positions!r}")
    proper(*positions)


def translated(position, delta_x, delta_y):
    proper(position)
    promised(is_integer(delta_x) and is_integer(delta_y), f"no distances: {delta_x}, {delta_y}")


def around(position, dimension=None):
    proper(position)
    dimension_or_none(dimension)


def adjacent(position, other_positions):
    proper(position)
    collection(other_positions)


with_assumptions(
    globals(),
    {
        **dict.fromkeys(("left", "right", "up", "down", "next"), on_board),
        "translate_over": translated,
        "get_adjacent_positions": around,
        "get_surrounding_positions": around,
        "is_adjacent_to": adjacent,
        "are_chained": collection,
        "are_chained_rec": collection,
    },
)
