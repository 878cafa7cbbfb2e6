def are_chainable(board, positions):
    gebied_van = {}
    for positie in positions:
        if positie not in gebied_van:
            if gebied_van:
                return False
            _merk(board, positie, positie, gebied_van)
    return True


def _merk(board, cel, naam, gebied_van):
    gebied_van[cel] = naam
    for buur in Position.get_adjacent_positions(cel, dimension(board)):
        if buur not in gebied_van and is_filled_at(board, buur) == is_filled_at(board, cel):
            _merk(board, buur, naam, gebied_van)
