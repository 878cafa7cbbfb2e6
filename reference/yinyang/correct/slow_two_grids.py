"""Two grids (problem and present colours), brute force: the region grows by passes over the whole board."""


def maak_rooster(n):
    rooster = []
    for i in range(n):
        rooster.append([])
        for j in range(n):
            rooster[i].append('')
    return rooster


def heeft_vierkant(rooster, kleur):
    n = len(rooster)
    for i in range(n - 1):
        for j in range(n - 1):
            aantal = 0
            for a in range(2):
                for b in range(2):
                    if rooster[i + a][j + b] == kleur:
                        aantal += 1
            if aantal == 4:
                return True
    return False


class YinYang:

    def __init__(self, dimensie, wit, zwart):
        self.dimensie = dimensie
        self.opgave = maak_rooster(dimensie)
        self.nu = maak_rooster(dimensie)

        wit = sorted(wit)
        zwart = sorted(zwart)
        for i in range(len(wit)):
            for j in range(len(zwart)):
                if wit[i] == zwart[j]:
                    raise AssertionError('ongeldige puzzel')
        for (r, k) in wit + zwart:
            if not self.in_rooster(r, k):
                raise AssertionError('ongeldige puzzel')
        for (r, k) in wit:
            self.opgave[r][k] = 'wit'
            self.nu[r][k] = 'wit'
        for (r, k) in zwart:
            self.opgave[r][k] = 'zwart'
            self.nu[r][k] = 'zwart'
        if heeft_vierkant(self.opgave, 'wit'):
            raise AssertionError('ongeldige puzzel')
        if heeft_vierkant(self.opgave, 'zwart'):
            raise AssertionError('ongeldige puzzel')

    def in_rooster(self, r, k):
        return 0 <= r <= self.dimensie - 1 and 0 <= k <= self.dimensie - 1

    def maak_wit(self, vakje):
        (r, k) = vakje
        if not self.in_rooster(r, k):
            raise AssertionError('ongeldige actie')
        if self.nu[r][k] != '':
            raise AssertionError('ongeldige actie')
        self.nu[r][k] = 'wit'
        if heeft_vierkant(self.nu, 'wit'):
            self.nu[r][k] = ''
            raise AssertionError('ongeldige actie')
        return self

    def maak_zwart(self, vakje):
        (r, k) = vakje
        if not self.in_rooster(r, k):
            raise AssertionError('ongeldige actie')
        if self.nu[r][k] != '':
            raise AssertionError('ongeldige actie')
        self.nu[r][k] = 'zwart'
        if heeft_vierkant(self.nu, 'zwart'):
            self.nu[r][k] = ''
            raise AssertionError('ongeldige actie')
        return self

    def maak_leeg(self, vakje):
        (r, k) = vakje
        if not self.in_rooster(r, k):
            raise AssertionError('ongeldige actie')
        if self.nu[r][k] == '':
            raise AssertionError('ongeldige actie')
        if self.opgave[r][k] != '':
            raise AssertionError('ongeldige actie')
        self.nu[r][k] = ''
        return self

    def aaneengesloten_gebied(self, vakje):
        (r, k) = vakje
        gebied = set()
        if not self.in_rooster(r, k) or self.nu[r][k] == '':
            return gebied
        kleur = self.nu[r][k]
        gebied.add((r, k))
        veranderd = True
        while veranderd:
            veranderd = False
            for i in range(self.dimensie):
                for j in range(self.dimensie):
                    if self.nu[i][j] == kleur and (i, j) not in gebied:
                        if (i - 1, j) in gebied or (i + 1, j) in gebied or (i, j - 1) in gebied or (i, j + 1) in gebied:
                            gebied.add((i, j))
                            veranderd = True
        return gebied

    def isopgelost(self):
        wit = []
        zwart = []
        for i in range(self.dimensie):
            for j in range(self.dimensie):
                if self.nu[i][j] == 'wit':
                    wit.append((i, j))
                elif self.nu[i][j] == 'zwart':
                    zwart.append((i, j))
                else:
                    return False
        if wit != [] and self.aaneengesloten_gebied(wit[0]) != set(wit):
            return False
        if zwart != [] and self.aaneengesloten_gebied(zwart[0]) != set(zwart):
            return False
        if heeft_vierkant(self.nu, 'wit') or heeft_vierkant(self.nu, 'zwart'):
            return False
        return True

    def __str__(self):
        regels = []
        for i in range(self.dimensie):
            regel = ''
            for j in range(self.dimensie):
                teken = {'wit': 'w', 'zwart': 'b', '': '-'}[self.nu[i][j]]
                if self.opgave[i][j] != '':
                    teken = teken.upper()
                regel += teken
            regels.append(regel)
        return '\n'.join(regels)
