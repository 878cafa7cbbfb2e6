# Hélène Lefèvre

class Cel:
    """één cel van de puzzel, gecodeerd met één karakter"""

    def __init__(self, karakter):
        # het karakter moet één van de 20 geldige zijn, anders is het geen coördinaat waard
        assert karakter in set('.#123456789ABCDEFGHI'), 'ongeldig symbool'
        self.karakter = karakter

    def __str__(self):
        return self.karakter

    def isgekleurd(self):
        return self.karakter in set('#ABCDEFGHI')

    def cijfer(self):
        # de 9 letters coderen de cijfers 1 t.e.m. 9 (zie opgave, §2)
        if self.karakter in '123456789':
            return int(self.karakter)
        if self.karakter in 'ABCDEFGHI':
            return 'ABCDEFGHI'.index(self.karakter) + 1
        return None


def isstraat(n):
    # cijfers mogen maar één keer voorkomen
    cijfers = [int(c) for c in str(n)]
    return 0 not in cijfers and sorted(cijfers) == list(range(min(cijfers), max(cijfers) + 1))


class Str8ts:

    def __init__(self, locatie):
        self.rijen = []
        for regel in open(locatie):
            self.rijen.append([Cel(k) for k in regel.strip()])

    def __str__(self):
        return '\n'.join(''.join(str(cel) for cel in rij) for rij in self.rijen)

    def horizontaal_cijfers(self, r):
        return {cel.cijfer() for cel in self.rijen[r] if cel.cijfer() is not None}

    def verticaal_cijfers(self, k):
        return {rij[k].cijfer() for rij in self.rijen if rij[k].cijfer() is not None}

    # getallen en invullen: idée voor later
