# Emma Willems
# klasse Str8ts is niet meer gelukt, sorry :(

class Cel:
    """
    stelt één cel van de puzzel voor
    """
    def __init__(self, karakter):
        alle = ['.', '#']
        for i in range(9):
            alle.append(str(i + 1))
            alle.append('ABCDEFGHI'[i])
        assert karakter in alle, "ongeldig symbool"
        self.karakter = karakter

    def __str__(self):
        return self.karakter

    def isgekleurd(self):
        if self.karakter == '.':
            return False
        if self.karakter in '123456789':
            return False
        return True

    def cijfer(self):
        letters = 'ABCDEFGHI'
        if self.karakter in letters:
            return letters.index(self.karakter) + 1
        if self.karakter in '123456789':
            return int(self.karakter)
        # anders geeft het None terug


def isstraat(n):
    lijst = list(str(n))
    lijst.sort()
    if lijst[0] == '0':
        return False
    vorige = lijst[0]
    for cijfer in lijst[1:]:
        if int(cijfer) != int(vorige) + 1:
            return False
        vorige = cijfer
    return True


#class Str8ts:
#    def __init__(self, locatie):
#        bestand = open(locatie)
