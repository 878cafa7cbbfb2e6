# Str8ts
# Wout Maes - 1ste bach

# alle symbolen met (zwart, cijfer)
S = {'.': (False, None), '#': (True, None)}
for i in range(1, 10):
    S[str(i)] = (False, i)
    S[' ABCDEFGHI'[i]] = (True, i)

class Cel:
    def __init__(self, symbool):
        if symbool not in S: raise AssertionError('ongeldig symbool')
        self.symbool = symbool
    def __str__(self): return self.symbool
    def isgekleurd(self): return S[self.symbool][0]
    def cijfer(self): return S[self.symbool][1]

def isstraat(n):
    c = set(str(n))
    # 9 - lengte + 1 mogelijke straten van deze lengte, zit n ertussen?
    for begin in range(1, 10):
        straat = [str(x) for x in range(begin, begin + len(str(n))) if x < 10]
        if set(straat) == c and len(straat) == len(str(n)):
            return True
    return False

class Str8ts:
    def __init__(self, locatie):
        # rooster is een dictionary: (r, k) -> Cel
        self.rooster = {}
        for r, regel in enumerate(open(locatie).read().split()):
            for k, symbool in enumerate(regel):
                self.rooster[r, k] = Cel(symbool)

    def __str__(self):
        return '\n'.join(''.join(str(self.rooster[r, k]) for k in range(9)) for r in range(9))

    def wit(self, r, k):
        return (r, k) in self.rooster and not self.rooster[r, k].isgekleurd()

    def getal(self, r, k, dr, dk):
        '''posities van het getal dat begint op (r, k), leeg als er geen begint'''
        if self.wit(r - dr, k - dk): return []
        posities = []
        while self.wit(r, k):
            posities.append((r, k))
            r, k = r + dr, k + dk
        return posities

    def patroon(self, posities):
        return ''.join(str(self.rooster[p]) for p in posities)

    def horizontaal_getallen(self, r):
        return {k: self.patroon(self.getal(r, k, 0, 1)) for k in range(9) if self.getal(r, k, 0, 1)}

    def verticaal_getallen(self, k):
        return {r: self.patroon(self.getal(r, k, 1, 0)) for r in range(9) if self.getal(r, k, 1, 0)}

    def horizontaal_cijfers(self, r):
        return {self.rooster[r, k].cijfer() for k in range(9)} - {None}

    def verticaal_cijfers(self, k):
        return {self.rooster[r, k].cijfer() for r in range(9)} - {None}

    def invullen(self, posities, n):
        ok = isstraat(n) and len(posities) == len(str(n))
        for (r, k), c in zip(posities, str(n)):
            if self.rooster[r, k].cijfer() is None:
                ok = ok and int(c) not in self.horizontaal_cijfers(r) | self.verticaal_cijfers(k)
            else:
                ok = ok and self.rooster[r, k].cijfer() == int(c)
        if not ok: raise AssertionError('ongeldige vulling')
        for p, c in zip(posities, str(n)):
            self.rooster[p] = Cel(c)

    def horizontaal_invullen(self, r, k, n): self.invullen(self.getal(r, k, 0, 1), n)
    def verticaal_invullen(self, r, k, n): self.invullen(self.getal(r, k, 1, 0), n)
