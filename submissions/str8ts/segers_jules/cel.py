"""Module met de klasse Cel."""

SYMBOLEN = {'.', '#', '1', '2', '3', '4', '5', '6', '7', '8', '9',
            'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'}


class Cel:

    def __init__(self, symbool):
        assert symbool in SYMBOLEN, 'ongeldig symbool'
        self._symbool = symbool

    def __str__(self):
        return self._symbool

    def __repr__(self):
        return "Cel('" + self._symbool + "')"

    def isgekleurd(self):
        return self._symbool == '#' or self._symbool.isalpha()

    def cijfer(self):
        if self._symbool.isalpha():
            return ord(self._symbool) - ord('A') + 1
        elif self._symbool.isdigit():
            return int(self._symbool)
        else:
            return None
