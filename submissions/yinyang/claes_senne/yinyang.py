from rooster import Rooster

RICHTINGEN = [(0, 1), (1, 0), (0, -1), (-1, 0)]


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.rooster = Rooster(dimensie)
        for pos in wit:
            self.plaats(pos, 'W', 'ongeldige puzzel')
        for pos in zwart:
            self.plaats(pos, 'B', 'ongeldige puzzel')

    def plaats(self, pos, letter, fout):
        assert self.rooster.bestaat(pos), fout
        assert self.rooster.haal(pos) == '-', fout
        assert not self.vierkant(pos, letter), fout
        self.rooster.zet(pos, letter)
        return self

    def zelfde(self, r, k, letter):
        return self.rooster.haal((r, k)).lower() == letter.lower()

    def vierkant(self, pos, letter):
        r, k = pos
        # draai rond het vakje: telkens een buur, de volgende buur en de hoek ertussen
        for i in range(4):
            (a, b), (c, d) = RICHTINGEN[i], RICHTINGEN[i - 1]
            if (self.zelfde(r + a, k + b, letter)
                    and self.zelfde(r + c, k + d, letter)
                    and self.zelfde(r + a + c, k + b + d, letter)):
                return True
        return False

    def maak_wit(self, p):
        return self.plaats(p, 'w', 'ongeldige actie')

    def maak_zwart(self, p):
        return self.plaats(p, 'b', 'ongeldige actie')

    def maak_leeg(self, p):
        assert self.rooster.haal(p) in 'wb', 'ongeldige actie'
        self.rooster.wis(p)
        return self

    def aaneengesloten_gebied(self, p):
        letter = self.rooster.haal(p)
        gebied = set()
        if letter != '-':
            self.vul(p, letter, gebied)
        return gebied

    def vul(self, p, letter, gebied):
        # recursieve flood fill
        gebied.add(p)
        for dr, dk in RICHTINGEN:
            buur = p[0] + dr, p[1] + dk
            if buur not in gebied and self.zelfde(*buur, letter):
                self.vul(buur, letter, gebied)

    def isopgelost(self):
        if not self.rooster.is_vol():
            return False
        for kleur in 'wb':
            vakjes = [p for p, letter in self.rooster.letters.items() if letter.lower() == kleur]
            if vakjes and self.aaneengesloten_gebied(vakjes[0]) != set(vakjes):
                return False
        return True

    def __str__(self):
        return self.rooster.tekst()
