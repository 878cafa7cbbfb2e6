class Akari:

    def __init__(self, rows, cols, filename):
        self.rows = rows
        self.cols = cols
        self.lampen = set()
        self.zwarte_cellen = dict()
        with open(filename, "r") as file:
            for line in file:
                if line.strip():
                    (r, k, c) = line.split()
                    self.zwarte_cellen[(int(r), int(k))] = c

    def isWit(self, r, k):
        return 0 <= r < self.rows and 0 <= k < self.cols and not (r, k) in self.zwarte_cellen

    def stralen(self, r, k):
        result = set()
        for (dr, dk) in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            n = 1
            while self.isWit(r + n * dr, k + n * dk):
                result.add((r + n * dr, k + n * dk))
                n += 1
        return result

    def verlicht(self):
        result = set()
        for (r, k) in self.lampen:
            result.update(self.stralen(r, k))
        return result

    def telLampen(self, r, k):
        count = 0
        for (dr, dk) in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if (r + dr, k + dk) in self.lampen:
                count += 1
        return count

    def plaatsLamp(self, r, k):
        if not self.isWit(r, k):
            raise AssertionError("ongeldige positie")
        if (r, k) in self.lampen or (r, k) in self.verlicht():
            raise AssertionError("ongeldige positie")
        for (dr, dk) in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            cel = (r + dr, k + dk)
            if cel in self.zwarte_cellen and self.zwarte_cellen[cel] != "?":
                if self.telLampen(cel[0], cel[1]) >= int(self.zwarte_cellen[cel]):
                    raise AssertionError("ongeldige positie")
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        if not (r, k) in self.lampen:
            raise AssertionError("ongeldige positie")
        self.lampen.remove((r, k))

    def isopgelost(self):
        for (r, k) in self.zwarte_cellen:
            c = self.zwarte_cellen[(r, k)]
            if c != "?" and self.telLampen(r, k) != int(c):
                return False
        for r in range(self.rows):
            for k in range(self.cols):
                if self.isWit(r, k) and not (r, k) in self.lampen and not (r, k) in self.verlicht():
                    return False
        return True

    def __str__(self):
        s = []
        for r in range(self.rows):
            s.append("")
            for k in range(self.cols):
                if (r, k) in self.zwarte_cellen:
                    s[-1] += self.zwarte_cellen[(r, k)]
                elif (r, k) in self.lampen:
                    s[-1] += "L"
                elif (r, k) in self.verlicht():
                    s[-1] += "*"
                else:
                    s[-1] += "_"
        return "\n".join(s)
