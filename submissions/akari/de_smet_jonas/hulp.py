# hulpfuncties voor akari

def lees_bestand(naam):
    """ Leest het bestand in en geeft een dictionary {(r, k): markering} terug """
    resultaat = {}
    bestand = open(naam)
    for lijn in bestand.read().splitlines():
        if lijn.strip() != "":
            r, k, m = lijn.strip().split(" ")
            resultaat[(int(r), int(k))] = m
    bestand.close()
    return resultaat


def buren(r, k):
    """ Geeft de 4 buren van een cel """
    return {(r + 1, k), (r - 1, k), (r, k + 1), (r, k - 1)}
