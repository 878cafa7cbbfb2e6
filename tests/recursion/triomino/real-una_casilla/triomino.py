def triomino(n, p):
    return _baldosa(tablero(n, p), 1)


def _baldosa(t, k):
    if t.shape == (1, 1):
        return t
    q = triominoCentral((k, t))
    x = len(t) // 2
    arriba = np.hstack([_baldosa(q[:x, :x], k + 2), _baldosa(q[:x, x:], k + 1)])
    abajo = np.hstack([_baldosa(q[x:, :x], k + 3), _baldosa(q[x:, x:], k + 4)])
    return np.vstack([arriba, abajo])
