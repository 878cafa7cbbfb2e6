def are_chained_rec(positions):
    import Board

    posities = list(set(positions))
    if posities == []:
        return True
    laagste = min(min(kolom, rij) for kolom, rij in posities)
    verplaatst = [translate_over(p, 1 - laagste, 1 - laagste) for p in posities]
    hoogste = max(max(kolom, rij) for kolom, rij in verplaatst)
    return Board.are_chainable(Board.make_board(hoogste, verplaatst), verplaatst)
