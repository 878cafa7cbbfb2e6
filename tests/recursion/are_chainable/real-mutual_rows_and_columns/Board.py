def are_chainable(board, positions):
    gezien = set()
    for positie in positions:
        _langs_rij(board, positie, is_filled_at(board, positie), gezien)
        break
    return gezien.issuperset(positions)


def _langs_rij(board, cel, gevuld, gezien):
    gezien.add(("rij", cel))
    gezien.add(cel)
    _langs_kolom_of_rij(board, cel, gevuld, gezien, "kolom", _langs_kolom, (-1, 0), (1, 0))


def _langs_kolom(board, cel, gevuld, gezien):
    gezien.add(("kolom", cel))
    gezien.add(cel)
    _langs_kolom_of_rij(board, cel, gevuld, gezien, "rij", _langs_rij, (0, -1), (0, 1))


def _langs_kolom_of_rij(board, cel, gevuld, gezien, naam, andere, *stappen):
    if (naam, cel) not in gezien:
        andere(board, cel, gevuld, gezien)
    for stap in stappen:
        buur = Position.translate_over(cel, *stap)
        if buur not in gezien and is_filled_at(board, buur) == gevuld:
            if Position.is_proper_position_for_board(dimension(board), buur):
                andere(board, buur, gevuld, gezien)
