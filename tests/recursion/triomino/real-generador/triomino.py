def triomino(n, p):
    t = tablero(n, p)
    for numero, casillas in _piezas(n, (0, 0), p, 1):
        for i, j in casillas:
            t[i - 1, j - 1] = numero
    return t


def _piezas(n, origen, hueco, numero):
    x = n // 2
    f, c = origen
    pieza = []
    huecos = []
    for k, (df, dc) in enumerate([(0, 1), (0, 0), (1, 0), (1, 1)], 1):
        q = (f + df * x, c + dc * x)
        if q[0] < hueco[0] <= q[0] + x and q[1] < hueco[1] <= q[1] + x:
            huecos.append((q, hueco, numero + k))
        else:
            central = (f + x + df, c + x + dc)
            pieza.append(central)
            huecos.append((q, central, numero + k))
    yield numero, pieza
    if x > 1:
        for q, h, k in huecos:
            yield from _piezas(x, q, h, k)
