# hulpklasse voor yinyang.py: een vierkant rooster met letters

class Rooster:

    def __init__(self, n):
        self.n = n
        self.letters = {}

    def bestaat(self, pos):
        r, k = pos
        return r in range(self.n) and k in range(self.n)

    def haal(self, pos):
        # geeft '-' voor lege vakjes en voor alles buiten het rooster
        return self.letters.get(pos, '-')

    def zet(self, pos, letter):
        self.letters[pos] = letter

    def wis(self, pos):
        del self.letters[pos]

    def is_vol(self):
        return len(self.letters) == self.n * self.n

    def tekst(self):
        rijen = []
        for r in range(self.n):
            rijen.append(''.join(self.haal((r, k)) for k in range(self.n)))
        return '\n'.join(rijen)
