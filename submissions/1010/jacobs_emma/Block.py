# Emma Jacobs - practicum MI
"""Module met functies op blokken. Een blok is een dictionary met de stippen in een lijst."""

import random
import Position


def make_block(dot_positions):
    """Maak een nieuw blok."""
    return {"dots": list(dot_positions)}


def get_all_dot_positions(block):
    """Alle stippen van het blok."""
    return set(block["dots"])


def is_proper_block(block):
    """Ga na of dit een blok is."""
    if not isinstance(block, dict) or "dots" not in block:
        return False
    if len(block["dots"]) == 0:
        return False
    for dot in block["dots"]:
        if not Position.is_proper_position(dot):
            return False
    return Position.are_chained(block["dots"])


def add_dot(block, dot_position):
    """Voeg een stip toe als die er nog niet is en naast een andere ligt."""
    if dot_position not in block["dots"]:
        if Position.is_adjacent_to(dot_position, block["dots"]):
            block["dots"].append(dot_position)


def remove_dot(block, dot_position):
    """Haal een stip weg als de andere dan nog samenhangen."""
    if dot_position in block["dots"] and len(block["dots"]) > 1:
        block["dots"].remove(dot_position)
        if not Position.are_chained(block["dots"]):
            block["dots"].append(dot_position)


def get_horizontal_offsets_from_anchor(block):
    """Kleinste en grootste kolom."""
    links = None
    rechts = None
    for (k, r) in get_all_dot_positions(block):
        if links == None or k < links:
            links = k
        if rechts == None or k > rechts:
            rechts = k
    return (links, rechts)


def get_vertical_offsets_from_anchor(block):
    """Kleinste en grootste rij."""
    onder = None
    boven = None
    for (k, r) in get_all_dot_positions(block):
        if onder == None or r < onder:
            onder = r
        if boven == None or r > boven:
            boven = r
    return (onder, boven)


def are_equivalent(block, other_block):
    """Twee blokken zijn equivalent als ze na normaliseren gelijk zijn."""
    return get_all_dot_positions(normalize(block)) == get_all_dot_positions(normalize(other_block))


def is_normalized(block):
    """Is het anker een stip?"""
    return (0, 0) in get_all_dot_positions(block)


def normalize(block):
    """Het anker wordt de stip het meest links (en dan het meest onderaan)."""
    k, r = min(get_all_dot_positions(block))
    stippen = set()
    for dot in get_all_dot_positions(block):
        stippen.add(Position.translate_over(dot, -k, -r))
    return make_block(stippen)


def print_block(block):
    """Print het blok."""
    left, right = get_horizontal_offsets_from_anchor(block)
    bottom, top = get_vertical_offsets_from_anchor(block)
    for row in range(top, bottom - 1, -1):
        line = ""
        for column in range(left, right + 1):
            line += "#" if (column, row) in get_all_dot_positions(block) else " "
        print(line)


standard_blocks = (
    make_block({(0, 0)}),
    make_block({(0, 0), (1, 0)}),
    make_block({(0, 0), (0, 1)}),
    make_block({(-1, 0), (0, 0), (0, 1)}),
    make_block({(0, 0), (1, 0), (0, 1), (1, 1)}),
)


def select_standard_block():
    """Kies een blok."""
    return random.choice(standard_blocks)
