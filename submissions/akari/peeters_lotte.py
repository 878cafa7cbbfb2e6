"""
>>> puzzel = Akari(6, 6, 'akari.txt')
>>> puzzel.zwarte_cellen
{(1, 1): '4', (2, 3): '2', (2, 5): '?', (3, 0): '1', (3, 2): '?', (4, 4): '0'}
>>> puzzel.lampen
set()
>>> puzzel.verlicht()
set()
>>> print(puzzel)
______
_4____
___2_?
1_?___
____0_
______
>>> puzzel.isopgelost()
False
>>> puzzel.stralen(1, 1) == {(0, 1), (1, 2), (1, 3), (3, 1), (2, 1), (1, 4), (1, 5), (5, 1), (1, 0), (4, 1)}
True
>>> puzzel.stralen(2, 1) == {(3, 1), (2, 0), (2, 2), (5, 1), (4, 1)}
True
>>> puzzel.plaats_lamp(2, 1)
>>> puzzel.lampen
{(2, 1)}
>>> print(puzzel)
______
_4____
*L*2_?
1*?___
_*__0_
_*____
>>> puzzel.plaats_lamp(3, 6)
Traceback (most recent call last):
AssertionError: ongeldige positie
>>> puzzel.plaats_lamp(1, 1)
Traceback (most recent call last):
AssertionError: ongeldige positie
>>> puzzel.plaats_lamp(5, 1)
Traceback (most recent call last):
AssertionError: ongeldige positie
>>> puzzel.plaats_lamp(4, 5)
Traceback (most recent call last):
AssertionError: ongeldige positie
>>> puzzel.plaats_lamp(0, 1)
>>> puzzel.verwijder_lamp(2, 2)
Traceback (most recent call last):
AssertionError: ongeldige positie
>>> puzzel.verwijder_lamp(0, 1)
>>> puzzel.isopgelost()
False
"""

class Akari:

    def __init__(self, rijen, kolommen, bestandsnaam):
        self.rijen = rijen
        self.kolommen = kolommen
        self.zwarte_cellen = {}
        self.lampen = set()

        # bestand inlezen
        with open(bestandsnaam, 'r') as bestand:
            for regel in bestand:
                regel = regel.split()
                if regel:
                    positie = (int(regel[0]), int(regel[1]))
                    self.zwarte_cellen[positie] = regel[2]

    def is_geldig(self, r, k):
        """ ligt cel in rooster en is ze wit? """
        if r < 0 or r >= self.rijen:
            return False
        if k < 0 or k >= self.kolommen:
            return False
        return (r, k) not in self.zwarte_cellen

    def stralen(self, r, k):
        cellen = set()
        for richting in [(-1, 0), (1, 0), (0, -1), (0, 1)]:
            i = r + richting[0]
            j = k + richting[1]
            while self.is_geldig(i, j):
                cellen.add((i, j))
                i += richting[0]
                j += richting[1]
        return cellen

    def verlicht(self):
        cellen = set()
        for lamp in self.lampen:
            cellen = cellen.union(self.stralen(lamp[0], lamp[1]))
        return cellen

    def aantal_lampen(self, cel):
        """ hoeveel lampen staan er rond een cel """
        r, k = cel
        aantal = 0
        if (r - 1, k) in self.lampen:
            aantal += 1
        if (r + 1, k) in self.lampen:
            aantal += 1
        if (r, k - 1) in self.lampen:
            aantal += 1
        if (r, k + 1) in self.lampen:
            aantal += 1
        return aantal

    def plaats_lamp(self, r, k):
        assert self.is_geldig(r, k), 'ongeldige positie'
        assert (r, k) not in self.lampen, 'ongeldige positie'
        assert (r, k) not in self.verlicht(), 'ongeldige positie'
        for cel in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
            if cel in self.zwarte_cellen and self.zwarte_cellen[cel] != '?':
                assert self.aantal_lampen(cel) < int(self.zwarte_cellen[cel]), 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for cel in self.zwarte_cellen:
            if self.zwarte_cellen[cel] != '?':
                if self.aantal_lampen(cel) != int(self.zwarte_cellen[cel]):
                    return False
        return '_' not in str(self)

    def __str__(self):
        verlicht = self.verlicht()
        regels = []
        for r in range(self.rijen):
            regel = ''
            for k in range(self.kolommen):
                if (r, k) in self.zwarte_cellen:
                    regel += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    regel += 'L'
                elif (r, k) in verlicht:
                    regel += '*'
                else:
                    regel += '_'
            regels.append(regel)
        return '\n'.join(regels)


if __name__ == '__main__':
    import doctest
    doctest.testmod()
