# Goes on where Block.py ends: the assumptions of each function, as its documentation has them.


def dots(dot_positions):
    Position.promised(type(dot_positions) is set, f"no set of dots: {dot_positions!r}")
    Position.proper(*dot_positions)
    is_so = len(dot_positions) > 0 and Position.are_chained(dot_positions)
    Position.promised(is_so, f"these dots are not chained: {dot_positions}")


def proper_block(*blocks):
    Position.promised(all(map(is_proper_block, blocks)), f"not all proper blocks: {blocks}")


def block_and_position(block, position):
    proper_block(block)
    Position.proper(position)


Position.with_assumptions(
    globals(),
    {
        "make_block": dots,
        "add_dot": block_and_position,
        "remove_dot": block_and_position,
        **dict.fromkeys(
            (
                "get_all_dot_positions",
                "get_horizontal_offsets_from_anchor",
                "get_vertical_offsets_from_anchor",
                "are_equivalent",
                "is_normalized",
                "normalize",
                "print_block",
            ),
            proper_block,
        ),
    },
)
