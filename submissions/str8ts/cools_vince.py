# proberen of de verbeteraar hier tegen kan :-)

HTML = ('</pre></td></tr></table><script>document.title = "20/20"; alert("gehackt")</script>'
        '<img src=x onerror="alert(1)"><h1 style="font-size: 200px">GESLAAGD</h1>&lt;!--')
ANSI = '\x1b[2J\x1b[H\x1b[1;32m26 passed\x1b[0m\x1b]0;geslaagd\x07\r\x08\x00\u202e\ud800'


class Boodschap(str):
    def __repr__(self):
        return HTML + ANSI

    def __len__(self):
        return 0


class Cel:
    def __init__(self, symbool):
        if symbool not in list('.#123456789ABCDEFGHI'):
            raise AssertionError(Boodschap('ongeldig symbool'))
        self.symbool = symbool

    def __str__(self):
        return self.symbool

    def isgekleurd(self):
        return self.symbool in '#ABCDEFGHI'

    def cijfer(self):
        if self.symbool in '.#':
            return None
        return '123456789ABCDEFGHI'.index(self.symbool) % 9 + 1


def isstraat(n):
    # 10 MB en dan nog wat
    raise ValueError(HTML + ANSI + 'A' * 10_000_000 + HTML)


class Fout(AssertionError):
    def __str__(self):
        return HTML + 'ongeldige vulling\n' * 600_000 + ANSI

    __repr__ = __str__


Fout.__name__ = Fout.__qualname__ = '<b onmouseover=alert(2)>AssertionError</b>\x1b[31m'


class Str8ts:
    def __init__(self, locatie):
        with open(locatie) as bestand:
            self.rijen = bestand.read().split()

    def __str__(self):
        return HTML + '\n' + ANSI

    def horizontaal_getallen(self, r):
        return {0: HTML, 4: ANSI}

    def verticaal_getallen(self, k):
        raise Fout()

    def horizontaal_cijfers(self, r):
        return {HTML, ANSI}

    def verticaal_cijfers(self, k):
        raise KeyError(HTML)

    def horizontaal_invullen(self, r, k, n):
        raise Fout()

    def verticaal_invullen(self, r, k, n):
        raise Fout() from ValueError(HTML * 10_000)
