# Hugo Jiménez Cano
# el valor de cada casilla se calcula resolviendo el cuadrante donde está

def quita(cuadrante, x, p):
    i, j = p
    if cuadrante in (3, 4):
        i = i - x
    if cuadrante in (1, 4):
        j = j - x
    return (i, j)

def posiciones(x):
    # las casillas de cada cuadrante
    # 1 superior derecho, 2 superior izquierdo, 3 inferior izquierdo, 4 inferior derecho
    primera = range(1, x + 1)
    segunda = range(x + 1, 2 * x + 1)
    return {1: [(i, j) for i in primera for j in segunda],
            2: [(i, j) for i in primera for j in primera],
            3: [(i, j) for i in segunda for j in primera],
            4: [(i, j) for i in segunda for j in segunda]}

def cuadrante(x, p):
    for c in (1, 2, 3, 4):
        if p in posiciones(x)[c]:
            return c

def central(c, x):
    return {1: (x, x + 1), 2: (x, x), 3: (x + 1, x), 4: (x + 1, x + 1)}[c]

def valor(n, hueco, num, p):
    if p == hueco:
        return -1
    if n == 2:
        return num
    x = n // 2
    c = cuadrante(x, p)
    if c == cuadrante(x, hueco):
        nuevo = hueco
    else:
        nuevo = central(c, x)
        if p == nuevo:
            return num
    (i, j) = quita(c, x, p)
    return resuelve(x, quita(c, x, nuevo), num + c)[i - 1][j - 1]

def resuelve(n, hueco, num):
    return [[valor(n, hueco, num, (i, j)) for j in range(1, n + 1)] for i in range(1, n + 1)]

def triomino(n, p):
    return resuelve(n, p, 1)
