class Cel:

    def __init__(self, symbool):
        assert symbool in list('.#123456789ABCDEFGHI'), 'ongeldig symbool'
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        if self.symbool in '#ABCDEFGHI'
            return True
        else:
            return False

    def cijfer(self):
        if self.symbool in '.#':
            return None
        elif self.isgekleurd():
            return 'ABCDEFGHI'.index(self.symbool) + 1
        else:
            return int(self.symbool)


def isstraat(n):
    cijfers = sorted(str(n))
    for i in range(len(cijfers) - 1):
        if int(cijfers[i]) + 1 != int(cijfers[i + 1]):
            return False
    return '0' not in cijfers


class Str8ts:

    def __init__(self, locatie):
        self.rijen = [[Cel(s) for s in rij.strip()] for rij in open(locatie)]

    def __str__(self):
        return '\n'.join([''.join([str(cel) for cel in rij]) for rij in self.rijen])
