class Keten:
    @staticmethod
    def groei(keten, over):
        if not over:
            return True
        erbij = Keten.eerste_buur(sorted(over), keten)
        if erbij is None:
            return False
        return Keten.groei(keten | {erbij}, over - {erbij})

    @staticmethod
    def eerste_buur(over, keten):
        if over == []:
            return None
        if is_adjacent_to(over[0], keten):
            return over[0]
        return Keten.eerste_buur(over[1:], keten)


def are_chained_rec(positions):
    over = frozenset(positions)
    return len(over) == 0 or Keten.groei(frozenset({min(over)}), over - {min(over)})
