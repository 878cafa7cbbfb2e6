# -*- coding: utf-8 -*-
# Str8ts, Dirk Pauwels (werkstudent)

import string


class Cel(object):

    def __init__(self, symbool):
        if len(symbool) <> 1 or symbool not in '.#123456789ABCDEFGHI':
            raise AssertionError, 'ongeldig symbool'
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool in '#ABCDEFGHI'

    def cijfer(self):
        if self.symbool in '.#':
            return None
        if self.isgekleurd():
            return string.uppercase.index(self.symbool) + 1
        return int(self.symbool)


def isstraat(n):
    cijfers = map(int, str(n))
    cijfers.sort()
    return cijfers[0] > 0 and cijfers == range(cijfers[0], cijfers[0] + len(cijfers))


class Str8ts(object):

    def __init__(self, locatie):
        self.rooster = [map(Cel, regel.strip()) for regel in file(locatie)]

    def __str__(self):
        return '\n'.join([''.join(map(str, rij)) for rij in self.rooster])

    def horizontaal_cijfers(self, r):
        return set(filter(None, [cel.cijfer() for cel in self.rooster[r]]))

    def verticaal_cijfers(self, k):
        return set(filter(None, [rij[k].cijfer() for rij in self.rooster]))


if __name__ == '__main__':
    puzzel = Str8ts('puzzel.txt')
    print puzzel
    print puzzel.horizontaal_cijfers(3)
