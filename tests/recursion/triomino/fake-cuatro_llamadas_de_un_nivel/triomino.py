def triomino(n, p, pb=None):
    if pb is None:
        pb = pbInicial(n, p)
        if ind(pb):
            return resuelve(pb)
        return combina(pb, [triomino(n // 2, p, sub) for sub in divide(pb)])
    t = pb[1].copy()
    pila = [(pb[0], t)]
    while pila:
        k, trozo = pila.pop()
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            pila += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
            pila += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    return t
