class YinYang:
    def __init__(self, dimensie, wit, zwart):
        self.size = dimensie
        self.wit = set(wit)
        self.zwart = set(zwart)
        self.vast = set(wit) | set(zwart)
        fout = False
        for p in self.vast:
            if not self.erin(p) or (p in self.wit and p in self.zwart):
                fout = True
        if self.vierkantje(self.wit) or self.vierkantje(self.zwart):
            fout = True
        if fout:
            print('ongeldige puzzel')
            exit()

    def erin(self, p):
        return -1 < p[0] < self.size and -1 < p[1] < self.size

    def vierkantje(self, S):
        for (a, b) in S:
            if (a + 1, b) in S and (a, b + 1) in S and (a + 1, b + 1) in S:
                return True
        return False

    def maak_wit(self, p):
        if not self.erin(p) or p in self.wit or p in self.zwart or self.vierkantje(self.wit | {p}):
            # programma stoppen
            print('ongeldige actie')
            exit()
        self.wit.add(p)
        return self

    def maak_zwart(self, p):
        if not self.erin(p) or p in self.wit or p in self.zwart or self.vierkantje(self.zwart | {p}):
            print('ongeldige actie')
            exit()
        self.zwart.add(p)
        return self

    def maak_leeg(self, p):
        if p in self.vast or (p not in self.wit and p not in self.zwart):
            print('ongeldige actie')
            exit()
        self.wit.discard(p)
        self.zwart.discard(p)
        return self

    def aaneengesloten_gebied(self, p):
        for S in [self.wit, self.zwart]:
            if p in S:
                gebied = {p}
                groter = True
                while groter:
                    groter = False
                    for (a, b) in S - gebied:
                        if {(a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)} & gebied:
                            gebied.add((a, b))
                            groter = True
                return gebied
        return set()

    def isopgelost(self):
        if len(self.wit) + len(self.zwart) < self.size * self.size:
            return False
        for p in self.wit:
            if self.aaneengesloten_gebied(p) != self.wit:
                return False
        for p in self.zwart:
            if self.aaneengesloten_gebied(p) != self.zwart:
                return False
        return True

    def __str__(self):
        tekst = ''
        for a in range(self.size):
            for b in range(self.size):
                if (a, b) in self.wit:
                    tekst += 'W' if (a, b) in self.vast else 'w'
                elif (a, b) in self.zwart:
                    tekst += 'B' if (a, b) in self.vast else 'b'
                else:
                    tekst += '-'
            if a != self.size - 1:
                tekst += '\n'
        return tekst
