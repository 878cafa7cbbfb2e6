"""Nested lists, long repeated code with if and raise, last newline cut off with [:-1]."""


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.wit = list(wit)
        self.zwart = list(zwart)

        # voorwaarde 1: niets gemeenschappelijk
        for pos in self.wit:
            if pos in self.zwart:
                raise AssertionError("ongeldige puzzel")

        # voorwaarde 2: alles binnen het rooster
        for pos in self.wit:
            if pos[0] < 0 or pos[0] >= dimensie:
                raise AssertionError("ongeldige puzzel")
            if pos[1] < 0 or pos[1] >= dimensie:
                raise AssertionError("ongeldige puzzel")
        for pos in self.zwart:
            if pos[0] < 0 or pos[0] >= dimensie:
                raise AssertionError("ongeldige puzzel")
            if pos[1] < 0 or pos[1] >= dimensie:
                raise AssertionError("ongeldige puzzel")

        # rooster maken
        self.rooster = []
        for i in range(dimensie):
            rij = []
            for j in range(dimensie):
                if (i, j) in self.wit:
                    rij.append("W")
                elif (i, j) in self.zwart:
                    rij.append("B")
                else:
                    rij.append("-")
            self.rooster.append(rij)

        # voorwaarde 3 en 4: geen vierkanten
        for i in range(dimensie - 1):
            for j in range(dimensie - 1):
                a = self.rooster[i][j]
                b = self.rooster[i][j + 1]
                c = self.rooster[i + 1][j]
                d = self.rooster[i + 1][j + 1]
                if a == "W" and b == "W" and c == "W" and d == "W":
                    raise AssertionError("ongeldige puzzel")
                if a == "B" and b == "B" and c == "B" and d == "B":
                    raise AssertionError("ongeldige puzzel")

    def maak_wit(self, positie):
        r = positie[0]
        k = positie[1]
        if r < 0 or r >= self.dimensie or k < 0 or k >= self.dimensie:
            raise AssertionError("ongeldige actie")
        if self.rooster[r][k] != "-":
            raise AssertionError("ongeldige actie")
        W = ["W", "w"]
        # linksboven
        if r > 0 and k > 0:
            if self.rooster[r - 1][k - 1] in W and self.rooster[r - 1][k] in W and self.rooster[r][k - 1] in W:
                raise AssertionError("ongeldige actie")
        # rechtsboven
        if r > 0 and k < self.dimensie - 1:
            if self.rooster[r - 1][k + 1] in W and self.rooster[r - 1][k] in W and self.rooster[r][k + 1] in W:
                raise AssertionError("ongeldige actie")
        # linksonder
        if r < self.dimensie - 1 and k > 0:
            if self.rooster[r + 1][k - 1] in W and self.rooster[r + 1][k] in W and self.rooster[r][k - 1] in W:
                raise AssertionError("ongeldige actie")
        # rechtsonder
        if r < self.dimensie - 1 and k < self.dimensie - 1:
            if self.rooster[r + 1][k + 1] in W and self.rooster[r + 1][k] in W and self.rooster[r][k + 1] in W:
                raise AssertionError("ongeldige actie")
        self.rooster[r][k] = "w"
        return self

    def maak_zwart(self, positie):
        r = positie[0]
        k = positie[1]
        if r < 0 or r >= self.dimensie or k < 0 or k >= self.dimensie:
            raise AssertionError("ongeldige actie")
        if self.rooster[r][k] != "-":
            raise AssertionError("ongeldige actie")
        B = ["B", "b"]
        # linksboven
        if r > 0 and k > 0:
            if self.rooster[r - 1][k - 1] in B and self.rooster[r - 1][k] in B and self.rooster[r][k - 1] in B:
                raise AssertionError("ongeldige actie")
        # rechtsboven
        if r > 0 and k < self.dimensie - 1:
            if self.rooster[r - 1][k + 1] in B and self.rooster[r - 1][k] in B and self.rooster[r][k + 1] in B:
                raise AssertionError("ongeldige actie")
        # linksonder
        if r < self.dimensie - 1 and k > 0:
            if self.rooster[r + 1][k - 1] in B and self.rooster[r + 1][k] in B and self.rooster[r][k - 1] in B:
                raise AssertionError("ongeldige actie")
        # rechtsonder
        if r < self.dimensie - 1 and k < self.dimensie - 1:
            if self.rooster[r + 1][k + 1] in B and self.rooster[r + 1][k] in B and self.rooster[r][k + 1] in B:
                raise AssertionError("ongeldige actie")
        self.rooster[r][k] = "b"
        return self

    def maak_leeg(self, positie):
        r = positie[0]
        k = positie[1]
        if r < 0 or r >= self.dimensie or k < 0 or k >= self.dimensie:
            raise AssertionError("ongeldige actie")
        if self.rooster[r][k] == "-":
            raise AssertionError("ongeldige actie")
        if positie in self.wit or positie in self.zwart:
            raise AssertionError("ongeldige actie")
        self.rooster[r][k] = "-"
        return self

    def aaneengesloten_gebied(self, positie):
        r = positie[0]
        k = positie[1]
        if r < 0 or r >= self.dimensie or k < 0 or k >= self.dimensie:
            return set()
        if self.rooster[r][k] == "-":
            return set()
        if self.rooster[r][k] == "W" or self.rooster[r][k] == "w":
            kleuren = ["W", "w"]
        else:
            kleuren = ["B", "b"]
        gebied = {(r, k)}
        todo = [(r, k)]
        while len(todo) > 0:
            r, k = todo.pop()
            if r > 0 and self.rooster[r - 1][k] in kleuren and (r - 1, k) not in gebied:
                gebied.add((r - 1, k))
                todo.append((r - 1, k))
            if r < self.dimensie - 1 and self.rooster[r + 1][k] in kleuren and (r + 1, k) not in gebied:
                gebied.add((r + 1, k))
                todo.append((r + 1, k))
            if k > 0 and self.rooster[r][k - 1] in kleuren and (r, k - 1) not in gebied:
                gebied.add((r, k - 1))
                todo.append((r, k - 1))
            if k < self.dimensie - 1 and self.rooster[r][k + 1] in kleuren and (r, k + 1) not in gebied:
                gebied.add((r, k + 1))
                todo.append((r, k + 1))
        return gebied

    def isopgelost(self):
        aantal_wit = 0
        aantal_zwart = 0
        een_witte = None
        een_zwarte = None
        for i in range(self.dimensie):
            for j in range(self.dimensie):
                if self.rooster[i][j] == "-":
                    return False
                elif self.rooster[i][j] == "W" or self.rooster[i][j] == "w":
                    aantal_wit += 1
                    een_witte = (i, j)
                else:
                    aantal_zwart += 1
                    een_zwarte = (i, j)
        if een_witte is not None:
            if len(self.aaneengesloten_gebied(een_witte)) != aantal_wit:
                return False
        if een_zwarte is not None:
            if len(self.aaneengesloten_gebied(een_zwarte)) != aantal_zwart:
                return False
        return True

    def __str__(self):
        s = ""
        for rij in self.rooster:
            for teken in rij:
                s += teken
            s += "\n"
        return s[:-1]
