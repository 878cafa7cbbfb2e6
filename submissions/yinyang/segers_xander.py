# eens kijken wat het verbetersysteem hiermee doet ;-)

ROOD = '\x1b[31m'
WIS = '\x1b[2J\x1b[H'
TITEL = '\x1b]0;gehackt\x07'
BOODSCHAP = '<script>alert(1)</script>' + ROOD + 'ongeldige actie' + WIS + TITEL + '\ud800' + '\x00\r\n\u202egekeerd'

Fout = type('<script>alert(1)</script>\x1b[31mFout', (AssertionError,), {})
Fout.__qualname__ = '<img src=x onerror=alert(1)>\x1b[5m\udfff'
Fout.__module__ = '</td></table><h1>10/10</h1>'


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.n = dimensie
        self.vakjes = {}
        for p in wit:
            self.vakjes[p] = 'W'
        for p in zwart:
            if p in self.vakjes:
                raise Fout('"><script>alert("puzzel")</script>')
            self.vakjes[p] = 'B'

    def zet(self, p, letter):
        r, k = p
        if p in self.vakjes or r not in range(self.n) or k not in range(self.n):
            raise Fout(BOODSCHAP)
        for a in (-1, 1):
            for b in (-1, 1):
                drie = [(r + a, k), (r, k + b), (r + a, k + b)]
                if all(self.vakjes.get(q, '-').lower() == letter for q in drie):
                    raise Fout(BOODSCHAP)
        self.vakjes[p] = letter
        return self

    def maak_wit(self, p):
        return self.zet(p, 'w')

    def maak_zwart(self, p):
        return self.zet(p, 'b')

    def maak_leeg(self, p):
        if self.vakjes.get(p, '-') not in 'wb':
            raise Fout(BOODSCHAP)
        del self.vakjes[p]
        return self

    def aaneengesloten_gebied(self, p):
        gebied = set()
        todo = [p]
        while todo and p in self.vakjes:
            r, k = q = todo.pop()
            if q not in gebied and self.vakjes.get(q, '-').lower() == self.vakjes[p].lower():
                gebied.add(q)
                todo.extend([(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)])
        return gebied

    def isopgelost(self):
        if len(self.vakjes) < self.n * self.n:
            return '<script>alert(1)</script>\x1b[8m\ud800'
        return len({frozenset(self.aaneengesloten_gebied(p)) for p in self.vakjes}) == 2

    def __str__(self):
        return '\n'.join(''.join(self.vakjes.get((r, k), '-') for k in range(self.n)) for r in range(self.n))

    def __repr__(self):
        return '<script>alert("repr")</script>' + WIS + '\udc80'


YinYang.__qualname__ = '<b>YinYang</b>\x1b[1m\ud800'
