"""De vier voorwaarden van de opgave worden nooit gecontroleerd."""
# verliest: YinYang


class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.dim = dimensie
        self.start_wit = set(wit)
        self.start_zwart = set(zwart)
        # alles wat nu wit en zwart is
        self.wit = set(wit)
        self.zwart = set(zwart)

    @staticmethod
    def heeft_vierkant(vakjes):
        # (r, k) is telkens de hoek linksboven
        return any({(r, k), (r, k + 1), (r + 1, k), (r + 1, k + 1)} <= vakjes for r, k in vakjes)

    def leeg(self, p):
        r, k = p
        binnen = r in range(self.dim) and k in range(self.dim)
        return binnen and p not in self.wit and p not in self.zwart

    def maak_wit(self, p):
        assert self.leeg(p), 'ongeldige actie'
        assert not self.heeft_vierkant(self.wit | {p}), 'ongeldige actie'
        self.wit.add(p)
        return self

    def maak_zwart(self, p):
        assert self.leeg(p), 'ongeldige actie'
        assert not self.heeft_vierkant(self.zwart | {p}), 'ongeldige actie'
        self.zwart.add(p)
        return self

    def maak_leeg(self, p):
        assert p in self.wit | self.zwart, 'ongeldige actie'
        assert p not in self.start_wit | self.start_zwart, 'ongeldige actie'
        self.wit.discard(p)
        self.zwart.discard(p)
        return self

    def aaneengesloten_gebied(self, p):
        for vakjes in (self.wit, self.zwart):
            if p in vakjes:
                gebied = {p}
                rand = {p}
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
        if any(self.aaneengesloten_gebied(p) != self.wit for p in self.wit):
            return False
        if any(self.aaneengesloten_gebied(p) != self.zwart for p in self.zwart):
            return False
        return True

    def teken(self, p):
        if p in self.start_wit:
            return 'W'
        if p in self.start_zwart:
            return 'B'
        if p in self.wit:
            return 'w'
        if p in self.zwart:
            return 'b'
        return '-'

    def __str__(self):
        regels = []
        for r in range(self.dim):
            regels.append(''.join([self.teken((r, k)) for k in range(self.dim)]))
        return '\n'.join(regels)
