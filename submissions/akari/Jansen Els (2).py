'''
Akari
Els Jansen
versie 2 (nu wel met isopgelost)
'''

class Akari(object):

    def __init__(self, h, b, f):
        self.h, self.b = h, b
        self.zwarte_cellen, self.lampen = {}, set()
        inhoud = open(f).read().split()
        # telkens drie woorden na elkaar
        for i in range(0, len(inhoud), 3):
            self.zwarte_cellen[int(inhoud[i]), int(inhoud[i + 1])] = inhoud[i + 2]

    def _rond(self, r, k):
        return {(r - 1, k), (r + 1, k), (r, k - 1), (r, k + 1)}

    def _binnen(self, r, k):
        return -1 < r < self.h and -1 < k < self.b

    def stralen(self, r, k):
        st = set()
        richtingen = [lambda x: (x[0] - 1, x[1]), lambda x: (x[0] + 1, x[1]),
                      lambda x: (x[0], x[1] - 1), lambda x: (x[0], x[1] + 1)]
        for volgende in richtingen:
            cel = volgende((r, k))
            while self._binnen(*cel) and not cel in self.zwarte_cellen:
                st.add(cel)
                cel = volgende(cel)
        return st

    def verlicht(self):
        vl = set()
        for lamp in self.lampen: vl |= self.stralen(*lamp)
        return vl

    def plaats_lamp(self, r, k):
        mag = self._binnen(r, k) and (r, k) not in self.zwarte_cellen and (r, k) not in self.lampen and (r, k) not in self.verlicht()
        if mag:
            for cel in self._rond(r, k):
                if cel in self.zwarte_cellen and self.zwarte_cellen[cel] != '?':
                    if len(self._rond(*cel) & self.lampen) == int(self.zwarte_cellen[cel]):
                        mag = False
        assert mag, 'ongeldige positie'
        self.lampen.add((r, k))

    def verwijder_lamp(self, r, k):
        assert (r, k) in self.lampen, 'ongeldige positie'
        self.lampen.remove((r, k))

    def isopgelost(self):
        if '_' in str(self): return False
        for cel in self.zwarte_cellen:
            if self.zwarte_cellen[cel] != '?':
                if len(self._rond(*cel) & self.lampen) != int(self.zwarte_cellen[cel]): return False
        return True

    def __str__(self):
        def teken(r, k):
            if (r, k) in self.zwarte_cellen: return self.zwarte_cellen[r, k]
            if (r, k) in self.lampen: return 'L'
            if (r, k) in self.verlicht(): return '*'
            return '_'
        return '\n'.join(''.join(teken(r, k) for k in range(self.b)) for r in range(self.h))
