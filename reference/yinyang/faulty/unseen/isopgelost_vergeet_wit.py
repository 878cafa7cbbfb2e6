"""Enkel van de zwarte vakjes wordt gecontroleerd of ze samenhangen."""
# verliest: isopgelost


class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.dim = dimensie
        self.start_wit = set(wit)
        self.start_zwart = set(zwart)
        # alles wat nu wit en zwart is
        self.wit = set(wit)
        self.zwart = set(zwart)

        if self.wit & self.zwart:
            raise AssertionError('ongeldige puzzel')
        for r, k in self.wit | self.zwart:
            if r not in range(dimensie) or k not in range(dimensie):
                raise AssertionError('ongeldige puzzel')
        if self.heeft_vierkant(self.wit):
            raise AssertionError('ongeldige puzzel')
        if self.heeft_vierkant(self.zwart):
            raise AssertionError('ongeldige puzzel')

    @staticmethod
    def heeft_vierkant(vakjes):
        # (r, k) is telkens de hoek linksboven
        return any({(r, k), (r, k + 1), (r + 1, k), (r + 1, k + 1)} <= vakjes for r, k in vakjes)

    def leeg(self, pos):
        r, k = pos
        binnen = r in range(self.dim) and k in range(self.dim)
        return binnen and pos not in self.wit and pos not in self.zwart

    def maak_wit(self, pos):
        assert self.leeg(pos), 'ongeldige actie'
        assert not self.heeft_vierkant(self.wit | {pos}), 'ongeldige actie'
        self.wit.add(pos)
        return self

    def maak_zwart(self, pos):
        assert self.leeg(pos), 'ongeldige actie'
        assert not self.heeft_vierkant(self.zwart | {pos}), 'ongeldige actie'
        self.zwart.add(pos)
        return self

    def maak_leeg(self, pos):
        assert pos in self.wit | self.zwart, 'ongeldige actie'
        assert pos not in self.start_wit | self.start_zwart, 'ongeldige actie'
        self.wit.discard(pos)
        self.zwart.discard(pos)
        return self

    def aaneengesloten_gebied(self, pos):
        for vakjes in (self.wit, self.zwart):
            if pos in vakjes:
                gebied = {pos}
                rand = {pos}
                while rand:
                    # alle buren van de rand die er nog niet bij zijn
                    buren = set()
                    for r, k in rand:
                        buren |= {(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)}
                    rand = buren & vakjes - gebied
                    gebied |= rand
                return gebied
        return set()

    def isopgelost(self):
        if len(self.wit) + len(self.zwart) < self.dim * self.dim:
            return False
        if any(self.aaneengesloten_gebied(pos) != self.zwart for pos in self.zwart):
            return False
        return True

    def symbool(self, pos):
        if pos in self.start_wit:
            return 'W'
        if pos in self.start_zwart:
            return 'B'
        if pos in self.wit:
            return 'w'
        if pos in self.zwart:
            return 'b'
        return '-'

    def __str__(self):
        regels = []
        for r in range(self.dim):
            regels.append(''.join([self.symbool((r, k)) for k in range(self.dim)]))
        return '\n'.join(regels)
