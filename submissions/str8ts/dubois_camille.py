ZWART = "#ABCDEFGHI"
WIT = ".123456789"


class Cel:
    def __init__(self, c):
        # print('cel', c)
        assert len(c) == 1 and (c in ZWART or c in WIT), "ongeldig symbool"
        self.inhoud = c

    def __str__(self):
        return self.inhoud

    def isgekleurd(self):
        return self.inhoud in ZWART

    def cijfer(self):
        if self.inhoud in "#.":
            return None
        return (ZWART + WIT).index(self.inhoud) % 10


def isstraat(n):
    print("isstraat opgeroepen met", n)
    getallen = sorted(map(int, str(n)))
    print("gesorteerd:", getallen)
    if getallen[0] == 0:
        return False
    for a, b in zip(getallen, getallen[1:]):
        if b - a != 1:
            print("verschil is niet 1:", a, b)
            return False
    return True


class Str8ts:
    def __init__(self, pad):
        self.grid = []
        for lijn in open(pad).read().strip().split("\n"):
            self.grid.append([Cel(c) for c in lijn.strip()])
        print("ingelezen:", len(self.grid), "rijen")

    def __str__(self):
        return "\n".join("".join(c.inhoud for c in rij) for rij in self.grid)

    def horizontaal_getallen(self, r):
        return self.__getallen(self.grid[r])

    def verticaal_getallen(self, k):
        return self.__getallen([self.grid[r][k] for r in range(9)])

    def __getallen(self, cellen):
        d = {}
        for i in range(9):
            # begin van een getal?
            if cellen[i].isgekleurd():
                continue
            if i > 0 and not cellen[i - 1].isgekleurd():
                continue
            j = i
            d[i] = ""
            while j < 9 and not cellen[j].isgekleurd():
                d[i] += cellen[j].inhoud
                j += 1
        print("DEBUG", d)
        return d

    def horizontaal_cijfers(self, r):
        return {c.cijfer() for c in self.grid[r] if c.cijfer()}

    def verticaal_cijfers(self, k):
        return {self.grid[r][k].cijfer() for r in range(9) if self.grid[r][k].cijfer()}

    def __mag(self, r, k, c):
        print("mag", c, "op", (r, k), "?")
        oud = self.grid[r][k].cijfer()
        if oud:
            return oud == c
        return c not in self.horizontaal_cijfers(r) and c not in self.verticaal_cijfers(k)

    def __vul(self, plaatsen, n):
        print("plaatsen", plaatsen)
        if not isstraat(n) or len(str(n)) != len(plaatsen):
            raise AssertionError("ongeldige vulling")
        for (r, k), c in zip(plaatsen, str(n)):
            if not self.__mag(r, k, int(c)):
                raise AssertionError("ongeldige vulling")
        for (r, k), c in zip(plaatsen, str(n)):
            self.grid[r][k] = Cel(c)
        print("gelukt!")

    def horizontaal_invullen(self, r, k, n):
        if not 0 <= r <= 8:
            raise AssertionError("ongeldige vulling")
        lengte = len(self.horizontaal_getallen(r).get(k, ""))
        self.__vul([(r, k + i) for i in range(lengte)], n)

    def verticaal_invullen(self, r, k, n):
        if not 0 <= k <= 8:
            raise AssertionError("ongeldige vulling")
        lengte = len(self.verticaal_getallen(k).get(r, ""))
        self.__vul([(r + i, k) for i in range(lengte)], n)
