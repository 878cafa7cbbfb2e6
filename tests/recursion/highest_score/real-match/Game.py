def highest_score(board, blocks, start=0):
    match list(blocks)[start:]:
        case []:
            return (0, [])
        case [blok, *andere]:
            resultaat = (None, None)
            for positie in Board.get_droppable_positions(board, blok):
                bord = Board.copy_board(board)
                score = game_move(bord, blok, positie)
                match highest_score(bord, andere):
                    case (int(rest), posities) if resultaat[0] is None or score + rest > resultaat[0]:
                        resultaat = (score + rest, [positie] + posities)
            return resultaat
