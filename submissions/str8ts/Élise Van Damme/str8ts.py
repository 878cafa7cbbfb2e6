from typing import Dict, List, Optional, Set


class Cel:

    def __init__(self, symbool: str):
        self.symbool = symbool
        if symbool not in list("#.ABCDEFGHI123456789"):
            raise AssertionError("ongeldig symbool")

    def __str__(self) -> str:
        return self.symbool

    def isgekleurd(self) -> bool:
        return self.symbool in "#ABCDEFGHI"

    def cijfer(self) -> Optional[int]:
        for i in range(1, 10):
            if self.symbool == str(i) or self.symbool == "ABCDEFGHI"[i - 1]:
                return i
        return None


def isstraat(n: int) -> bool:
    cijfers: List[str] = list(str(n))
    # elk cijfer behalve het grootste moet een opvolger hebben
    zonder_opvolger: int = 0
    for c in cijfers:
        if c == "0" or cijfers.count(c) > 1:
            return False
        if str(int(c) + 1) not in cijfers:
            zonder_opvolger += 1
    return zonder_opvolger == 1


class Str8ts:

    def __init__(self, locatie: str):
        self.cellen: List[List[Cel]] = []
        with open(locatie, encoding="utf-8") as bestand:
            for regel in bestand:
                cellen = [Cel(symbool) for symbool in regel.strip()]
                if cellen:
                    self.cellen.append(cellen)

    def __str__(self) -> str:
        return "\n".join("".join(str(cel) for cel in rij) for rij in self.cellen)

    def horizontaal_getallen(self, r: int) -> Dict[int, str]:
        resultaat: Dict[int, str] = {}
        for k in range(9):
            if self.cellen[r][k].isgekleurd():
                continue
            if k == 0 or self.cellen[r][k - 1].isgekleurd():
                begin = k
                resultaat[begin] = ""
            resultaat[begin] = resultaat[begin] + str(self.cellen[r][k])
        return resultaat

    def verticaal_getallen(self, k: int) -> Dict[int, str]:
        resultaat: Dict[int, str] = {}
        for r in range(9):
            if self.cellen[r][k].isgekleurd():
                continue
            if r == 0 or self.cellen[r - 1][k].isgekleurd():
                begin = r
                resultaat[begin] = ""
            resultaat[begin] = resultaat[begin] + str(self.cellen[r][k])
        return resultaat

    def horizontaal_cijfers(self, r: int) -> Set[int]:
        return {cel.cijfer() for cel in self.cellen[r]} - {None}

    def verticaal_cijfers(self, k: int) -> Set[int]:
        return {rij[k].cijfer() for rij in self.cellen} - {None}

    def horizontaal_invullen(self, r: int, k: int, n: int) -> None:
        # de controle op de plaats is niet nodig: de lengte klopt dan toch niet
        patroon = self.horizontaal_getallen(r).get(k, "")
        assert isstraat(n) and len(patroon) == len(str(n)), "ongeldige vulling"
        for i, c in enumerate(str(n)):
            assert patroon[i] in ".", c + " past niet"
            assert int(c) not in self.horizontaal_cijfers(r), "ongeldige vulling"
            assert int(c) not in self.verticaal_cijfers(k + i), "ongeldige vulling"
        for i, c in enumerate(str(n)):
            self.cellen[r][k + i] = Cel(c)

    def verticaal_invullen(self, r: int, k: int, n: int) -> None:
        patroon = self.verticaal_getallen(k).get(r, "")
        assert isstraat(n) and len(patroon) == len(str(n)), "ongeldige vulling"
        for i, c in enumerate(str(n)):
            assert patroon[i] in (".", c), "ongeldige vulling"
            if patroon[i] == ".":
                assert int(c) not in self.horizontaal_cijfers(r + i), "ongeldige vulling"
                assert int(c) not in self.verticaal_cijfers(k), "ongeldige vulling"
        for i, c in enumerate(str(n)):
            self.cellen[r + i][k] = Cel(c)
