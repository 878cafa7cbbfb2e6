# Dries Cools
# eens zien wat er op het scherm van de assistent verschijnt :-)

HTML = '</pre></td><script>document.title = "10/10"; alert("geslaagd")</script><img src=x onerror=alert(1)>'
ANSI = '\x1b[2J\x1b[1;1H\x1b[32mPASSED\x1b[0m\x1b]0;geslaagd\x07'
NUL = '\x00\x00\r\b\x7f\u202e'
FORMULE = '=HYPERLINK("http://voorbeeld.invalid";"20/20")'


class Akari:
    def __init__(self, rijen, kolommen, bestand):
        self.rijen = rijen
        self.kolommen = kolommen
        self.lampen = set()
        self.zwarte_cellen = {}
        with open(bestand) as f:
            for lijn in f:
                if lijn.strip():
                    r, k, m = lijn.split()
                    self.zwarte_cellen[(int(r), int(k))] = m

    def stralen(self, r, k):
        s = set()
        for dr, dk in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            x, y = r + dr, k + dk
            while 0 <= x < self.rijen and 0 <= y < self.kolommen and (x, y) not in self.zwarte_cellen:
                s.add((x, y))
                x, y = x + dr, y + dk
        return s

    def verlicht(self):
        s = set()
        for r, k in self.lampen:
            s |= self.stralen(r, k)
        return s

    def plaats_lamp(self, r, k):
        if not (0 <= r < self.rijen and 0 <= k < self.kolommen):
            raise AssertionError(ANSI + 'ongeldige positie')
        assert (r, k) not in self.zwarte_cellen, HTML + 'ongeldige positie'
        assert (r, k) not in self.lampen, NUL + 'ongeldige positie' + NUL
        assert (r, k) not in self.verlicht(), FORMULE
        for buur in [(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)]:
            m = self.zwarte_cellen.get(buur, '?')
            if m != '?':
                aantal = len([b for b in self.lampen if abs(b[0] - buur[0]) + abs(b[1] - buur[1]) == 1])
                assert aantal < int(m), 'ongeldige positie\n</pre>\n\x1b[32m39 passed\x1b[0m'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, '<b onmouseover="alert(2)">ongeldige positie</b>'
        self.lampen.remove((r, k))

    def isopgelost(self):
        for cel, m in self.zwarte_cellen.items():
            aantal = len([b for b in self.lampen if abs(b[0] - cel[0]) + abs(b[1] - cel[1]) == 1])
            if m != '?' and aantal != int(m):
                return False
        return len(self.lampen) + len(self.verlicht()) + len(self.zwarte_cellen) == self.rijen * self.kolommen

    def __str__(self):
        return HTML + '\n' + ANSI + '\n' + NUL + '\n' + FORMULE
