def _tablas():
    tablas = {1: {(1, 1): np.array([[HUECO]])}}
    n = 2
    while n <= 32:
        x = n // 2
        menores = tablas[x]
        tablas[n] = {}
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                t = np.zeros((n, n), dtype=int)
                for k, f, c in ((1, 0, x), (2, 0, 0), (3, x, 0), (4, x, x)):
                    dentro = f < i <= f + x and c < j <= c + x
                    h = (i - f, j - c) if dentro else (1 if f else x, 1 if c else x)
                    trozo = menores[h] + k
                    trozo[h[0] - 1, h[1] - 1] = HUECO if dentro else 1
                    t[f : f + x, c : c + x] = trozo
                tablas[n][i, j] = t
        n *= 2
    return tablas


TABLAS = _tablas()


def triomino(n, p):
    return TABLAS[n][tuple(p)].copy()
