"""Een rij is tekst waar recursieve functies stuk voor stuk doorheen gaan; wat geen tekst is, geeft een TypeError."""

import random  # niet meer nodig


def opeenvolgend(rij):
    if len(rij) < 2:
        return True
    return int(rij[1]) == int(rij[0]) + 1 and opeenvolgend(rij[1:])


def isstraat(n):
    rij = sorted(str(n))
    return rij[0] != '0' and opeenvolgend(rij)


def zoek_getallen(lijn, positie=0):
    """lijn: string; geeft dict van startposities en patronen, recursief"""
    if lijn == '':
        return {}
    if iszwart(lijn[0]):
        return zoek_getallen(lijn[1:], positie + 1)
    stuk = witte_kop(lijn)
    return {positie: stuk} | zoek_getallen(lijn[len(stuk):], positie + len(stuk))


def witte_kop(lijn):
    if lijn == '' or iszwart(lijn[0]):
        return ''
    return lijn[0] + witte_kop(lijn[1:])


def zoek_cijfers(lijn):
    if not lijn:
        return set()
    cijfer = Cel(lijn[0]).cijfer()
    rest = zoek_cijfers(lijn[1:])
    return rest if cijfer is None else rest.union([cijfer])


def iszwart(teken):
    return Cel(teken).isgekleurd()


def past(patroon, getal, bezet):
    """patroon en getal zijn strings; bezet is een lijst van verzamelingen"""
    if patroon == '' and getal == '':
        return True
    if patroon == '' or getal == '':
        return False
    if patroon[0] == '.':
        if int(getal[0]) in bezet[0]:
            return False
    elif patroon[0] != getal[0]:
        return False
    return past(patroon[1:], getal[1:], bezet[1:])


class Cel:

    def __init__(self, symbool):
        geldig = False
        if len(symbool) == 1:
            if symbool == '.' or symbool == '#':
                geldig = True
            elif '1' <= symbool <= '9':
                geldig = True
            elif 'A' <= symbool <= 'I':
                geldig = True
        assert geldig, 'ongeldig symbool'
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool == '#' or 'A' <= self.symbool <= 'I'

    def cijfer(self):
        if self.symbool == '.' or self.symbool == '#':
            return None
        if self.isgekleurd():
            return 'ABCDEFGHI'.index(self.symbool) + 1
        return int(self.symbool)


class Str8ts:

    def __init__(self, locatie):
        with open(locatie) as bestand:
            self.lijnen = self.lees(bestand)

    def lees(self, bestand):
        lijn = bestand.readline().strip()
        if not lijn:
            return []
        return [lijn] + self.lees(bestand)

    def __str__(self):
        return '\n'.join(self.lijnen)

    def kolom(self, k):
        return ''.join(lijn[k] for lijn in self.lijnen)

    def horizontaal_getallen(self, r):
        return zoek_getallen(self.lijnen[r])

    def verticaal_getallen(self, k):
        return zoek_getallen(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return zoek_cijfers(self.lijnen[r])

    def verticaal_cijfers(self, k):
        return zoek_cijfers(self.kolom(k))

    def horizontaal_invullen(self, r, k, n):
        assert isstraat(n), 'ongeldige vulling'
        assert 0 <= r < len(self.lijnen), 'ongeldige vulling'
        assert k in self.horizontaal_getallen(r), 'ongeldige vulling'
        bezet = []
        for kolom in range(k, 9):
            bezet.append(self.verticaal_cijfers(kolom) | self.horizontaal_cijfers(r))
        patroon = self.horizontaal_getallen(r)[k]
        assert past(patroon, str(n), bezet), 'ongeldige vulling'
        lijn = self.lijnen[r]
        self.lijnen[r] = lijn[:k] + str(n) + lijn[k + len(patroon):]

    def verticaal_invullen(self, r, k, n):
        assert isstraat(n), 'ongeldige vulling'
        assert 0 <= k < len(self.lijnen), 'ongeldige vulling'
        assert r in self.verticaal_getallen(k), 'ongeldige vulling'
        bezet = []
        for rij in range(r, 9):
            bezet.append(self.horizontaal_cijfers(rij) | self.verticaal_cijfers(k))
        patroon = self.verticaal_getallen(k)[r]
        assert past(patroon, str(n), bezet), 'ongeldige vulling'
        self.zet(r, k, str(n))

    def zet(self, r, k, cijfers):
        if cijfers:
            self.lijnen[r] = self.lijnen[r][:k] + cijfers[0] + self.lijnen[r][k + 1:]
            self.zet(r + 1, k, cijfers[1:])
