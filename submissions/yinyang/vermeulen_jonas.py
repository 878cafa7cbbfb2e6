# Jonas Vermeulen - reeks 8 - Yin-Yang

class YinYang:
    """
    >>> puzzel = YinYang(dimensie=6, wit=[(2, 0), (1, 2), (3, 2), (5, 5)], zwart=[(2, 1), (2, 4), (3, 1), (4, 1), (4, 3), (5, 0)])
    >>> print(puzzel)
    ------
    --W---
    WB--B-
    -BW---
    -B-B--
    B----W
    >>> print(puzzel.maak_wit((0, 0)))
    w-----
    --W---
    WB--B-
    -BW---
    -B-B--
    B----W
    >>> puzzel.maak_zwart((3, 2)) # positie is reeds bezet
    Traceback (most recent call last):
    AssertionError: ongeldige actie
    >>> puzzel.maak_zwart((1, 6)) # positie ligt buiten puzzel
    Traceback (most recent call last):
    AssertionError: ongeldige actie
    >>> print(puzzel.maak_zwart((5, 1)))
    w-----
    --W---
    WB--B-
    -BW---
    -B-B--
    Bb---W
    >>> puzzel.maak_zwart((4, 0)) # er wordt een vierkant gevormd
    Traceback (most recent call last):
    AssertionError: ongeldige actie
    >>> print(puzzel.maak_wit((0, 1)).maak_wit((0, 2)).maak_wit((0, 3)).maak_wit((0, 4)).maak_zwart((0, 5)))
    wwwwwb
    --W---
    WB--B-
    -BW---
    -B-B--
    Bb---W
    >>> print(puzzel.maak_leeg((0, 5)))
    wwwww-
    --W---
    WB--B-
    -BW---
    -B-B--
    Bb---W
    >>> print(puzzel.maak_wit((0, 5)))
    wwwwww
    --W---
    WB--B-
    -BW---
    -B-B--
    Bb---W
    >>> print(puzzel.maak_wit((1, 0)).maak_zwart((1, 1)).maak_zwart((1, 3)).maak_zwart((1, 4)).maak_wit((1, 5)))
    wwwwww
    wbWbbw
    WB--B-
    -BW---
    -B-B--
    Bb---W
    >>> print(puzzel.maak_wit((2, 2)).maak_wit((2, 3)).maak_wit((2, 5)))
    wwwwww
    wbWbbw
    WBwwBw
    -BW---
    -B-B--
    Bb---W
    >>> print(puzzel.maak_wit((3, 0)).maak_zwart((3, 3)).maak_zwart((3, 4)).maak_wit((3, 5)))
    wwwwww
    wbWbbw
    WBwwBw
    wBWbbw
    -B-B--
    Bb---W
    >>> print(puzzel.maak_wit((4, 0)).maak_wit((4, 2)).maak_wit((4, 4)).maak_wit((4, 5)))
    wwwwww
    wbWbbw
    WBwwBw
    wBWbbw
    wBwBww
    Bb---W
    >>> puzzel.isopgelost()
    False
    >>> print(puzzel.maak_wit((5, 2)).maak_zwart((5, 3)).maak_zwart((5, 4)))
    wwwwww
    wbWbbw
    WBwwBw
    wBWbbw
    wBwBww
    BbwbbW
    >>> puzzel.aaneengesloten_gebied((2, 1))
    {(2, 1), (3, 1), (1, 1), (5, 1), (5, 0), (4, 1)}
    >>> puzzel.aaneengesloten_gebied((3, 2))
    {(4, 0), (0, 2), (0, 5), (2, 2), (1, 0), (2, 5), (4, 2), (3, 0), (4, 5), (0, 1), (1, 2), (0, 4), (1, 5), (3, 2), (3, 5), (5, 2), (4, 4), (5, 5), (0, 0), (0, 3), (2, 0), (2, 3)}
    >>> puzzel.isopgelost()
    False
    >>> print(puzzel.maak_leeg((5, 2)).maak_zwart((5, 2)))
    wwwwww
    wbWbbw
    WBwwBw
    wBWbbw
    wBwBww
    BbbbbW
    >>> puzzel.aaneengesloten_gebied((2, 1))
    {(1, 3), (2, 4), (2, 1), (3, 4), (4, 3), (3, 1), (1, 1), (5, 4), (5, 1), (1, 4), (3, 3), (5, 0), (5, 3), (4, 1), (5, 2)}
    >>> puzzel.aaneengesloten_gebied((3, 2))
    {(4, 0), (0, 2), (0, 5), (2, 2), (1, 0), (2, 5), (4, 2), (3, 0), (4, 5), (0, 1), (1, 2), (0, 4), (1, 5), (3, 2), (3, 5), (4, 4), (5, 5), (0, 0), (0, 3), (2, 0), (2, 3)}
    >>> puzzel.isopgelost()
    True
    """

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.opgave = {}
        self.ingevuld = {}
        for p in wit:
            self.opgave[p] = 'w'
        for p in zwart:
            # p mag niet ook wit zijn
            if p in self.opgave:
                raise AssertionError('ongeldige puzzel')
            self.opgave[p] = 'b'
        for p in self.opgave:
            if not self.binnen(p) or self.in_vierkant(p):
                raise AssertionError('ongeldige puzzel')

    def binnen(self, p):
        return 0 <= p[0] <= self.n - 1 and 0 <= p[1] <= self.n - 1

    def kleur(self, p):
        # eerst kijken in de opgave, dan in wat ingevuld is
        return self.opgave.get(p) or self.ingevuld.get(p)

    def in_vierkant(self, p):
        kleur = self.kleur(p)
        r, k = p
        for r0 in [r - 1, r]:
            for k0 in [k - 1, k]:
                vierkant = [(r0, k0), (r0, k0 + 1), (r0 + 1, k0), (r0 + 1, k0 + 1)]
                if [self.kleur(q) for q in vierkant] == [kleur] * 4:
                    return True
        return False

    def maak(self, p, kleur):
        if not self.binnen(p) or self.kleur(p):
            raise AssertionError('ongeldige actie')
        self.ingevuld[p] = kleur
        if self.in_vierkant(p):
            # toch niet doen
            del self.ingevuld[p]
            raise AssertionError('ongeldige actie')
        return self

    def maak_wit(self, p):
        return self.maak(p, 'w')

    def maak_zwart(self, p):
        return self.maak(p, 'b')

    def maak_leeg(self, p):
        if p not in self.ingevuld:
            raise AssertionError('ongeldige actie')
        self.ingevuld.pop(p)
        return self

    def aaneengesloten_gebied(self, p):
        kleur = self.kleur(p)
        if not kleur:
            return set()
        G = {p}
        T = {p}
        while T:
            r, k = T.pop()
            buren = {(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)}
            nieuw = {q for q in buren if self.kleur(q) == kleur} - G
            G |= nieuw
            T |= nieuw
        return G

    def isopgelost(self):
        if len(self.opgave) + len(self.ingevuld) != self.n ** 2:
            return False
        alles = list(self.opgave) + list(self.ingevuld)
        # twee gebieden zijn genoeg om alles te bedekken
        eerste = self.aaneengesloten_gebied(alles[0])
        rest = [p for p in alles if p not in eerste]
        if not rest:
            return True
        tweede = self.aaneengesloten_gebied(rest[0])
        return len(eerste) + len(tweede) == len(alles) and self.kleur(alles[0]) != self.kleur(rest[0])

    def __str__(self):
        s = []
        for r in range(self.n):
            rij = ''
            for k in range(self.n):
                if (r, k) in self.opgave:
                    rij += self.opgave[r, k].upper()
                else:
                    rij += self.ingevuld.get((r, k), '-')
            s.append(rij)
        return '\n'.join(s)


if __name__ == '__main__':
    import doctest
    doctest.testmod()
