"""Recursion instead of loops: for the straight, for scanning a line and for checking and filling; line.strip for the newline."""


class Cel:

    def __init__(self, s):
        if not (isinstance(s, str) and len(s) == 1):
            raise AssertionError('ongeldig symbool')
        if not ('1' <= s <= '9' or 'A' <= s <= 'I' or s == '.' or s == '#'):
            raise AssertionError('ongeldig symbool')
        self.s = s

    def __str__(self):
        return self.s

    def isgekleurd(self):
        return self.s == '#' or 'A' <= self.s <= 'I'

    def cijfer(self):
        if '1' <= self.s <= '9':
            return ord(self.s) - ord('0')
        if 'A' <= self.s <= 'I':
            return ord(self.s) - ord('A') + 1
        # anders None


def isstraat(n):

    def weg(cijfers, volgende):
        # haal telkens het volgende cijfer weg
        if cijfers == '':
            return True
        if str(volgende) not in cijfers:
            return False
        return weg(cijfers.replace(str(volgende), '', 1), volgende + 1)

    s = str(n)
    if len(s) > 9 or '0' in s:
        return False
    return weg(s, int(min(s)))


def zoek_getallen(symbolen, i=0):
    if i >= len(symbolen):
        return {}
    if Cel(symbolen[i]).isgekleurd():
        return zoek_getallen(symbolen, i + 1)
    stuk = wit_stuk(symbolen, i)
    rest = zoek_getallen(symbolen, i + len(stuk))
    return {i: stuk, **rest}


def wit_stuk(symbolen, i):
    if i == len(symbolen) or Cel(symbolen[i]).isgekleurd():
        return ''
    return symbolen[i] + wit_stuk(symbolen, i + 1)


def zoek_cijfers(symbolen):
    if symbolen == '':
        return set()
    c = Cel(symbolen[0]).cijfer()
    rest = zoek_cijfers(symbolen[1:])
    if c is not None:
        rest.add(c)
    return rest


class Str8ts:

    def __init__(self, locatie):
        self.rijen = []
        with open(locatie, encoding='utf-8') as bestand:
            for lijn in bestand:
                lijn = lijn.strip()
                if lijn:
                    self.rijen.append(list(lijn))

    def __str__(self):
        return '\n'.join([''.join(rij) for rij in self.rijen])

    def horizontaal_getallen(self, r):
        return zoek_getallen(''.join(self.rijen[r]))

    def verticaal_getallen(self, k):
        return zoek_getallen(''.join(rij[k] for rij in self.rijen))

    def horizontaal_cijfers(self, r):
        return zoek_cijfers(''.join(self.rijen[r]))

    def verticaal_cijfers(self, k):
        return zoek_cijfers(''.join(rij[k] for rij in self.rijen))

    def past(self, r, k, dr, dk, cijfers):
        """past de rest van de cijfers vanaf (r, k) in de richting (dr, dk)?"""
        if cijfers == '':
            return True
        oud = self.rijen[r][k]
        if oud == '.':
            if int(cijfers[0]) in self.horizontaal_cijfers(r):
                return False
            if int(cijfers[0]) in self.verticaal_cijfers(k):
                return False
        elif oud != cijfers[0]:
            return False
        return self.past(r + dr, k + dk, dr, dk, cijfers[1:])

    def schrijf(self, r, k, dr, dk, cijfers):
        if cijfers:
            self.rijen[r][k] = cijfers[0]
            self.schrijf(r + dr, k + dk, dr, dk, cijfers[1:])

    def horizontaal_invullen(self, r, k, n):
        if r in range(9) and k in range(9) and isstraat(n):
            getallen = self.horizontaal_getallen(r)
            if k in getallen and len(getallen[k]) == len(str(n)):
                if self.past(r, k, 0, 1, str(n)):
                    self.schrijf(r, k, 0, 1, str(n))
                    return
        raise AssertionError('ongeldige vulling')

    def verticaal_invullen(self, r, k, n):
        if r in range(9) and k in range(9) and isstraat(n):
            getallen = self.verticaal_getallen(k)
            if r in getallen and len(getallen[r]) == len(str(n)):
                if self.past(r, k, 1, 0, str(n)):
                    self.schrijf(r, k, 1, 0, str(n))
                    return
        raise AssertionError('ongeldige vulling')
