"""Controleert niet of nieuwe cijfers al in de rij of de kolom voorkomen."""
# verliest: horizontaal_invullen, verticaal_invullen

import re

zwart = "ABCDEFGHI"


class Cel:
    def __init__(self, c):
        assert isinstance(c, str) and re.fullmatch("[.#1-9A-I]", c), "ongeldig symbool"
        self.c = c

    def __str__(self):
        return self.c

    def isgekleurd(self):
        return self.c in "#" + zwart

    def cijfer(self):
        if self.c in zwart:
            return zwart.find(self.c) + 1
        elif self.c != "." and self.c != "#":
            return int(self.c)


def isstraat(n):
    tekst = "".join(sorted(str(n)))
    return tekst in "123456789"


class Str8ts:
    # het rooster wordt bijgehouden als een lijst met 9 strings

    def __init__(self, locatie):
        with open(locatie) as f:
            self.rijen = f.read().split()

    def __str__(self):
        return "\n".join(self.rijen)

    def kolom(self, k):
        return "".join(rij[k] for rij in self.rijen)

    def horizontaal_getallen(self, r):
        return zoek_getallen(self.rijen[r])

    def verticaal_getallen(self, k):
        return zoek_getallen(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return zoek_cijfers(self.rijen[r])

    def verticaal_cijfers(self, k):
        return zoek_cijfers(self.kolom(k))

    def horizontaal_invullen(self, r, k, n):
        assert r in range(9) and k in range(9), "ongeldige vulling"
        patroon = self.horizontaal_getallen(r).get(k)
        assert patroon is not None, "ongeldige vulling"
        assert isstraat(n), "ongeldige vulling"
        tekst = str(n)
        assert len(tekst) == len(patroon), "ongeldige vulling"
        for i in range(len(tekst)):
            # een punt past altijd, anders moet het hetzelfde cijfer zijn
            if patroon[i] != ".":
                assert tekst[i] == patroon[i], "ongeldige vulling"
        self.rijen[r] = self.rijen[r][:k] + tekst + self.rijen[r][k + len(tekst):]

    def verticaal_invullen(self, r, k, n):
        # draai het rooster, vul horizontaal in en draai het terug
        self.draai()
        try:
            self.horizontaal_invullen(k, r, n)
        finally:
            self.draai()

    def draai(self):
        self.rijen = [self.kolom(k) for k in range(9)]


def zoek_getallen(tekst):
    return {m.start(): m.group() for m in re.finditer("[.1-9]+", tekst)}


def zoek_cijfers(tekst):
    return {Cel(c).cijfer() for c in tekst} - {None}
