"""Keeps the caller's collections as they are (no copy), looks everything up in lists with in, prints debug lines when something is refused."""


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.start_wit = wit        # opgave, wordt nooit gewijzigd
        self.start_zwart = zwart
        self.wit = []               # later wit gemaakt
        self.zwart = []             # later zwart gemaakt

        ok = True
        for p in self.start_wit:
            if p in self.start_zwart:
                ok = False
            if not self.ligt_binnen(p):
                ok = False
            if self.vierkant(p, self.is_wit):
                ok = False
        for p in self.start_zwart:
            if not self.ligt_binnen(p):
                ok = False
            if self.vierkant(p, self.is_zwart):
                ok = False
        if not ok:
            print('DEBUG puzzel niet ok', dimensie)
            raise AssertionError('ongeldige puzzel')

    def ligt_binnen(self, p):
        if p[0] < 0 or p[1] < 0:
            return False
        if p[0] > self.n - 1 or p[1] > self.n - 1:
            return False
        return True

    def is_wit(self, p):
        return p in self.start_wit or p in self.wit

    def is_zwart(self, p):
        return p in self.start_zwart or p in self.zwart

    def vierkant(self, p, heeft_kleur):
        # kijkt niet naar p zelf, enkel naar de drie andere vakjes
        r, k = p
        b = heeft_kleur((r - 1, k))
        o = heeft_kleur((r + 1, k))
        l = heeft_kleur((r, k - 1))
        re = heeft_kleur((r, k + 1))
        if b and l and heeft_kleur((r - 1, k - 1)):
            return True
        if b and re and heeft_kleur((r - 1, k + 1)):
            return True
        if o and l and heeft_kleur((r + 1, k - 1)):
            return True
        if o and re and heeft_kleur((r + 1, k + 1)):
            return True
        return False

    def maak_wit(self, p):
        if not self.ligt_binnen(p) or self.is_wit(p) or self.is_zwart(p) or self.vierkant(p, self.is_wit):
            print('DEBUG mag niet wit', p)
            raise AssertionError('ongeldige actie')
        self.wit.append(p)
        return self

    def maak_zwart(self, p):
        if not self.ligt_binnen(p) or self.is_wit(p) or self.is_zwart(p) or self.vierkant(p, self.is_zwart):
            print('DEBUG mag niet zwart', p)
            raise AssertionError('ongeldige actie')
        self.zwart.append(p)
        return self

    def maak_leeg(self, p):
        if p in self.wit:
            self.wit.remove(p)
            return self
        if p in self.zwart:
            self.zwart.remove(p)
            return self
        print('DEBUG mag niet leeg', p)
        raise AssertionError('ongeldige actie')

    def aaneengesloten_gebied(self, p):
        gebied = []
        if self.is_wit(p):
            kleur = self.is_wit
        elif self.is_zwart(p):
            kleur = self.is_zwart
        else:
            print('DEBUG leeg gebied')
            return set(gebied)
        gebied.append(p)
        i = 0
        while i < len(gebied):
            r, k = gebied[i]
            for buur in [(r, k - 1), (r, k + 1), (r - 1, k), (r + 1, k)]:
                if kleur(buur) and buur not in gebied:
                    gebied.append(buur)
            i += 1
        return set(gebied)

    def isopgelost(self):
        gebied_wit = None
        gebied_zwart = None
        for r in range(self.n):
            for k in range(self.n):
                p = (r, k)
                if self.is_wit(p):
                    if gebied_wit is None:
                        gebied_wit = self.aaneengesloten_gebied(p)
                    if p not in gebied_wit:
                        return False
                elif self.is_zwart(p):
                    if gebied_zwart is None:
                        gebied_zwart = self.aaneengesloten_gebied(p)
                    if p not in gebied_zwart:
                        return False
                else:
                    return False
        return gebied_wit is not None and gebied_zwart is not None

    def __str__(self):
        lijnen = []
        for r in range(self.n):
            lijn = ''
            for k in range(self.n):
                if (r, k) in self.start_wit:
                    lijn += 'W'
                elif (r, k) in self.wit:
                    lijn += 'w'
                elif (r, k) in self.start_zwart:
                    lijn += 'B'
                elif (r, k) in self.zwart:
                    lijn += 'b'
                else:
                    lijn += '-'
            lijnen.append(lijn)
        return '\n'.join(lijnen)
