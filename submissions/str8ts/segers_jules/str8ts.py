from cel import Cel


def isstraat(n):
    cijfers = [int(c) for c in sorted(str(n))]
    verwacht = list(range(cijfers[0], cijfers[0] + len(cijfers)))
    return cijfers == verwacht and 0 not in cijfers


class Str8ts:

    def __init__(self, locatie):
        with open(locatie) as bestand:
            regels = [regel.strip() for regel in bestand if regel.strip()]
        self.rijen = [[Cel(symbool) for symbool in regel] for regel in regels]

    def __str__(self):
        return '\n'.join(''.join(str(cel) for cel in rij) for rij in self.rijen)

    def kolom(self, k):
        return [rij[k] for rij in self.rijen]

    # ------------------------------------------------------------------
    # getallen en cijfers
    # ------------------------------------------------------------------

    def groepen(self, cellen):
        """lijst van (begin, cellen) voor elk getal in een rij of kolom"""
        groepen = [(0, [])]
        for i, cel in enumerate(cellen):
            if cel.isgekleurd():
                groepen.append((i + 1, []))
            else:
                groepen[-1][1].append(cel)
        return [(begin, groep) for begin, groep in groepen if groep]

    def patronen(self, cellen):
        return {begin: ''.join(str(cel) for cel in groep)
                for begin, groep in self.groepen(cellen)}

    def cijfers(self, cellen):
        return set(cel.cijfer() for cel in cellen if cel.cijfer() is not None)

    def horizontaal_getallen(self, r):
        return self.patronen(self.rijen[r])

    def verticaal_getallen(self, k):
        return self.patronen(self.kolom(k))

    def horizontaal_cijfers(self, r):
        return self.cijfers(self.rijen[r])

    def verticaal_cijfers(self, k):
        return self.cijfers(self.kolom(k))

    # ------------------------------------------------------------------
    # invullen
    # ------------------------------------------------------------------

    def controleer(self, plaatsen, n):
        tekst = str(n)
        assert isstraat(n), 'ongeldige vulling'
        assert len(tekst) == len(plaatsen), 'ongeldige vulling'
        for (r, k), c in zip(plaatsen, tekst):
            cel = self.rijen[r][k]
            if cel.cijfer() is not None:
                assert cel.cijfer() == int(c), 'ongeldige vulling'
            else:
                assert int(c) not in self.horizontaal_cijfers(r), 'ongeldige vulling'
                assert int(c) not in self.verticaal_cijfers(k), 'ongeldige vulling'

    def horizontaal_invullen(self, r, k, n):
        assert 0 <= r < 9 and k in self.horizontaal_getallen(r), 'ongeldige vulling'
        aantal = len(self.horizontaal_getallen(r)[k])
        self.controleer([(r, k + i) for i in range(aantal)], n)
        for i in range(aantal):
            self.rijen[r][k + i] = Cel(str(n)[i])

    def verticaal_invullen(self, r, k, n):
        assert 0 <= k < 9 and r in self.verticaal_getallen(k), 'ongeldige vulling'
        aantal = len(self.verticaal_getallen(k)[r])
        self.controleer([(r + i, k) for i in range(aantal)], n)
        for i in range(aantal):
            self.rijen[r + i][k] = Cel(str(n)[i])
