from numpy import zeros, copy, block, nonzero
from DivideVenceras import divideVenceras


class Problema:
    # el número del siguiente triominó y el tablero
    def __init__(self, numero, tablero):
        self.numero = numero
        self.tablero = tablero
        self.mitad = len(tablero) // 2


def con_central(pb):
    """ Tablero nuevo con el triominó central """
    t = copy(pb.tablero)
    filas, columnas = nonzero(t)
    x = pb.mitad
    hueco = (filas[0] >= x, columnas[0] >= x)
    for abajo in (False, True):
        for derecha in (False, True):
            if (abajo, derecha) != hueco:
                t[x if abajo else x - 1, x if derecha else x - 1] = pb.numero
    return t


def cuartos(pb):
    t, x, n = con_central(pb), pb.mitad, pb.numero
    return [Problema(n + 1, t[:x, x:]), Problema(n + 2, t[:x, :x]),
            Problema(n + 3, t[x:, :x]), Problema(n + 4, t[x:, x:])]


def triomino(n, p):
    t = zeros([n, n])
    t[p[0] - 1, p[1] - 1] = -1
    return divideVenceras(lambda pb: pb.mitad == 1,
                          con_central,
                          cuartos,
                          lambda pb, s: block([[s[1], s[0]], [s[2], s[3]]]),
                          Problema(1, t))
