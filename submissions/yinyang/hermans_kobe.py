# -*- coding: utf-8 -*-

class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.kleur = {}
        self.vast = {}
        for p in wit:
            if p in zwart:
                raise AssertionError('ongeldige puzzel')
            self.kleur[p] = 'w'
        for p in zwart:
            self.kleur[p] = 'b'
        for p in self.kleur:
            if p[0] not in xrange(self.n) or p[1] not in xrange(self.n):
                raise AssertionError('ongeldige puzzel')
            if self.vierkant(p, self.kleur[p]):
                raise AssertionError('ongeldige puzzel')
            self.vast[p] = True

    def vierkant(self, p, kleur):
        r, k = p
        for a in (-1, 1):
            for b in (-1, 1):
                buren = [(r + a, k), (r, k + b), (r + a, k + b)]
                if len([q for q in buren if self.kleur.get(q) == kleur]) == 3:
                    return True
        return False

    def maak(self, p, kleur):
        if p[0] not in xrange(self.n) or p[1] not in xrange(self.n):
            raise AssertionError('ongeldige actie')
        if self.kleur.has_key(p) or self.vierkant(p, kleur):
            raise AssertionError('ongeldige actie')
        self.kleur[p] = kleur
        return self

    def maak_wit(self, p):
        return self.maak(p, 'w')

    def maak_zwart(self, p):
        return self.maak(p, 'b')

    def maak_leeg(self, p):
        if not self.kleur.has_key(p) or self.vast.has_key(p):
            raise AssertionError('ongeldige actie')
        del self.kleur[p]
        return self

    def aaneengesloten_gebied(self, p):
        gebied = set()
        if not self.kleur.has_key(p):
            return gebied
        todo = [p]
        while todo:
            r, k = todo.pop()
            if (r, k) in gebied or self.kleur.get((r, k)) != self.kleur[p]:
                continue
            gebied.add((r, k))
            todo += [(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)]
        return gebied

    def isopgelost(self):
        if len(self.kleur) != self.n * self.n:
            return False
        for p in self.kleur:
            for q in self.kleur:
                if self.kleur[p] == self.kleur[q] and q not in self.aaneengesloten_gebied(p):
                    return False
        return True

    def __str__(self):
        s = ''
        for r in xrange(self.n):
            for k in xrange(self.n):
                c = self.kleur.get((r, k), '-')
                if self.vast.has_key((r, k)):
                    c = c.upper()
                s += c
            s += '\n'
        return s[:-1]


puzzel = YinYang(3, [(0, 0)], [(2, 2)])
print puzzel
print puzzel.maak_wit((0, 1))
