def triomino(n, p):
    m = n
    while m % 2 == 0:
        m //= 2
    if m != 1 or n == 1:
        return None
    return resuelveTodo(1, tablero(n, p))


def resuelveTodo(k, t):
    if len(t) == 2:
        return triominoCentral((k, t))
    return combina((k, t), [resuelveTodo(k2, t2) for k2, t2 in divide((k, t))])
