def triomino(n, p):
    return _sol(*pbInicial(n, p))


def _sol(k, t):
    match t.shape:
        case (2, 2):
            return resuelve((k, t))
        case _:
            subs = [_sol(*sub) for sub in divide((k, t))]
            return combina((k, t), subs)
