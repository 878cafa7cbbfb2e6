def triomino(n, p):
    t = tablero(n, p)
    pila = [(1, t)]
    while pila:
        k, trozo = pila.pop()
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            pila += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
            pila += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    return divide_y_combina(t)


def divide_y_combina(t):
    if len(t) <= 2:
        return t
    x = len(t) // 2
    trozos = [t[:x, x:], t[:x, :x], t[x:, :x], t[x:, x:]]
    return combina(None, [divide_y_combina(trozo) for trozo in trozos])
