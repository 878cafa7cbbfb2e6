"""
Oefening: Str8ts

>>> cel = Cel('C')
>>> str(cel)
'C'
>>> cel.isgekleurd()
True
>>> cel.cijfer()
3
>>> cel = Cel('.')
>>> str(cel)
'.'
>>> cel.isgekleurd()
False
>>> cel.cijfer()
>>> Cel('?')
Traceback (most recent call last):
AssertionError: ongeldig symbool
>>> isstraat(62534)
True
>>> isstraat(91548)
False
>>> puzzel = Str8ts('puzzel.txt')
>>> print(puzzel)
##..5..C#
.6..##1..
...#H....
9..D...#E
#....3..#
##...I.4.
4.3.##.6.
..1##....
##8....#B
>>> puzzel.horizontaal_getallen(3)
{0: '9..', 4: '...'}
>>> puzzel.horizontaal_cijfers(3)
{9, 4, 5}
>>> puzzel.verticaal_getallen(5)
{0: '.', 2: '..3', 7: '..'}
>>> puzzel.verticaal_cijfers(5)
{9, 3}
>>> puzzel.horizontaal_invullen(0, 1, 96587)
Traceback (most recent call last):
AssertionError: ongeldige vulling
>>> puzzel.horizontaal_invullen(0, 2, 34567)
Traceback (most recent call last):
AssertionError: ongeldige vulling
>>> puzzel.horizontaal_invullen(0, 2, 7658)
Traceback (most recent call last):
AssertionError: ongeldige vulling
>>> puzzel.horizontaal_invullen(0, 2, 965874)
Traceback (most recent call last):
AssertionError: ongeldige vulling
>>> puzzel.horizontaal_invullen(1, 6, 102)
Traceback (most recent call last):
AssertionError: ongeldige vulling
>>> puzzel.horizontaal_invullen(0, 2, 96587)
>>> print(puzzel)
##96587C#
.6..##1..
...#H....
9..D...#E
#....3..#
##...I.4.
4.3.##.6.
..1##....
##8....#B
>>> puzzel.verticaal_invullen(1, 1, 6587)
>>> print(puzzel)
##96587C#
.6..##1..
.5.#H....
98.D...#E
#7...3..#
##...I.4.
4.3.##.6.
..1##....
##8....#B
"""


class Cel:

    """
    >>> str(Cel('I'))
    'I'
    >>> Cel('I').cijfer()
    9
    """

    LETTERS = ' ABCDEFGHI'

    def __init__(self, karakter):

        # controleren of karakter geldig is
        assert isinstance(karakter, str), 'ongeldig symbool'
        assert len(karakter) == 1, 'ongeldig symbool'
        assert karakter in '.#123456789ABCDEFGHI', 'ongeldig symbool'

        self.karakter = karakter

    def __str__(self):

        return self.karakter

    def isgekleurd(self):

        return self.karakter not in '.123456789'

    def cijfer(self):

        if self.karakter in '.#':
            return None
        elif self.isgekleurd():
            return Cel.LETTERS.index(self.karakter)
        return int(self.karakter)


def isstraat(n):

    """
    >>> isstraat(5)
    True
    >>> isstraat(102)
    False
    >>> isstraat(1223)
    False
    """

    cijfers = {int(cijfer) for cijfer in str(n)}

    # alle cijfers verschillend en geen nul
    if len(cijfers) != len(str(n)) or 0 in cijfers:
        return False

    return max(cijfers) - min(cijfers) == len(cijfers) - 1


class Str8ts:

    def __init__(self, locatie):

        # rooster inlezen
        self.rooster = []
        bestand = open(locatie, 'r', encoding='utf-8')
        for regel in bestand:
            if regel.strip():
                self.rooster.append([Cel(karakter) for karakter in regel.strip()])
        bestand.close()

    def __str__(self):

        return '\n'.join(''.join(str(cel) for cel in rij) for rij in self.rooster)

    def _getallen(self, cellen):

        # zwarte cellen vervangen door een spatie
        patroon = ''.join(' ' if cel.isgekleurd() else str(cel) for cel in cellen)

        # een getal begint waar de vorige cel zwart is (of er geen vorige is)
        getallen = {}
        for index in range(len(patroon)):
            if patroon[index] != ' ' and (index == 0 or patroon[index - 1] == ' '):
                getallen[index] = patroon[index:].split(' ')[0]

        return getallen

    def horizontaal_getallen(self, r):

        return self._getallen(self.rooster[r])

    def verticaal_getallen(self, k):

        return self._getallen([rij[k] for rij in self.rooster])

    def horizontaal_cijfers(self, r):

        return {cel.cijfer() for cel in self.rooster[r] if cel.cijfer() is not None}

    def verticaal_cijfers(self, k):

        return {rij[k].cijfer() for rij in self.rooster if rij[k].cijfer() is not None}

    def _invullen(self, r, k, dr, dk, patroon, n):

        # (dr, dk) is de richting waarin we invullen
        cijfers = str(n)
        assert isstraat(n), 'ongeldige vulling'
        assert len(cijfers) == len(patroon), 'ongeldige vulling'

        for i, cijfer in enumerate(cijfers):
            rij, kolom = r + i * dr, k + i * dk
            if patroon[i] == '.':
                assert int(cijfer) not in self.horizontaal_cijfers(rij), 'ongeldige vulling'
                assert int(cijfer) not in self.verticaal_cijfers(kolom), 'ongeldige vulling'
            else:
                assert patroon[i] == cijfer, 'ongeldige vulling'

        for i, cijfer in enumerate(cijfers):
            self.rooster[r + i * dr][k + i * dk] = Cel(cijfer)

    def horizontaal_invullen(self, r, k, n):

        assert 0 <= r < 9 and 0 <= k < 9, 'ongeldige vulling'
        self._invullen(r, k, 0, 1, self.horizontaal_getallen(r).get(k, ''), n)

    def verticaal_invullen(self, r, k, n):

        assert 0 <= r < 9 and 0 <= k < 9, 'ongeldige vulling'
        self._invullen(r, k, 1, 0, self.verticaal_getallen(k).get(r, ''), n)


if __name__ == '__main__':
    import doctest
    doctest.testmod()
