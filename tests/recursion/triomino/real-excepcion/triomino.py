def triomino(n, p):
    t = tablero(n, p)
    _pinta(t, 1)
    return t


def _pinta(t, k):
    x = len(t) // 2
    try:
        trozos = [t[:x, x:], t[:x, :x], t[x:, :x], t[x:, x:]]
        for i, j in centralesSinHueco(t):
            if t[i - 1, j - 1] != 0:
                raise IndexError
            t[i - 1, j - 1] = k
    except IndexError:
        return
    for trozo in trozos:
        k += 1
        _pinta(trozo, k)
