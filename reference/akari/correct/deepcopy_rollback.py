"""Tries on a grid of characters after copy.deepcopy and rolls back, errors caught and raised again; a lamp goes in first and is checked afterwards."""
import copy


class Akari:

    def __init__(self, rijen, kolommen, locatie):
        self.rijen = rijen
        self.kolommen = kolommen
        self.rooster = []
        for r in range(rijen):
            self.rooster.append(['_'] * kolommen)
        self.zwarte_cellen = {}
        self.lampen = set()
        with open(locatie) as f:
            for line in f:
                data = line.strip().split(' ')
                r, k = int(data[0]), int(data[1])
                self.zwarte_cellen[r, k] = data[2]
                self.rooster[r][k] = data[2]

    def is_zwart(self, r, k):
        return self.rooster[r][k] in '?01234'

    def stralen(self, r, k):
        res = set()
        for kk in range(k + 1, self.kolommen):
            if self.is_zwart(r, kk):
                break
            res.add((r, kk))
        for kk in reversed(range(k)):
            if self.is_zwart(r, kk):
                break
            res.add((r, kk))
        for rr in range(r + 1, self.rijen):
            if self.is_zwart(rr, k):
                break
            res.add((rr, k))
        for rr in reversed(range(r)):
            if self.is_zwart(rr, k):
                break
            res.add((rr, k))
        return res

    def verlicht(self):
        res = set()
        for r in range(self.rijen):
            for k in range(self.kolommen):
                if self.rooster[r][k] == '*':
                    res.add((r, k))
        return res

    def lampen_rond(self, r, k):
        n = 0
        if r > 0 and self.rooster[r - 1][k] == 'L':
            n += 1
        if r < self.rijen - 1 and self.rooster[r + 1][k] == 'L':
            n += 1
        if k > 0 and self.rooster[r][k - 1] == 'L':
            n += 1
        if k < self.kolommen - 1 and self.rooster[r][k + 1] == 'L':
            n += 1
        return n

    def probeer(self, r, k):
        # zet de lamp en kijk daarna pas of alles klopt
        if r < 0 or k < 0:
            raise IndexError('negatief')
        if self.rooster[r][k] != '_':
            raise ValueError('bezet of verlicht')
        self.rooster[r][k] = 'L'
        self.lampen.add((r, k))
        for rr, kk in self.stralen(r, k):
            self.rooster[rr][kk] = '*'
        for (rr, kk), markering in self.zwarte_cellen.items():
            if markering != '?' and self.lampen_rond(rr, kk) > int(markering):
                raise ValueError('te veel lampen')

    def plaats_lamp(self, r, k):
        oud_rooster = copy.deepcopy(self.rooster)
        oude_lampen = copy.deepcopy(self.lampen)
        try:
            self.probeer(r, k)
        except (IndexError, ValueError):
            self.rooster = oud_rooster
            self.lampen = oude_lampen
            raise AssertionError('ongeldige positie')

    def verwijder_lamp(self, r, k):
        try:
            self.lampen.remove((r, k))
        except KeyError as fout:
            raise AssertionError('ongeldige positie') from fout
        # rooster opnieuw opbouwen
        nieuw = []
        for rij in self.rooster:
            nieuw.append([x if x in '?01234' else '_' for x in rij])
        self.rooster = nieuw
        for rr, kk in self.lampen:
            for a, b in self.stralen(rr, kk):
                self.rooster[a][b] = '*'
        for rr, kk in self.lampen:
            self.rooster[rr][kk] = 'L'

    def isopgelost(self):
        for rij in self.rooster:
            if '_' in rij:
                return False
        for (r, k), markering in self.zwarte_cellen.items():
            if markering != '?' and self.lampen_rond(r, k) != int(markering):
                return False
        return True

    def __str__(self):
        res = ''
        for rij in self.rooster:
            res += ''.join(rij) + '\n'
        return res.rstrip('\n')
