def triomino(n, p):
    t = tablero(n, p)
    pila_recursiva = [(t, 1)]
    while pila_recursiva:
        trozo, k = pila_recursiva.pop()
        for i, j in centralesSinHueco(trozo):
            trozo[i - 1, j - 1] = k
        x = len(trozo) // 2
        if x > 1:
            pila_recursiva.append((trozo[:x, x:], k + 1))
            pila_recursiva.append((trozo[:x, :x], k + 2))
            pila_recursiva.append((trozo[x:, :x], k + 3))
            pila_recursiva.append((trozo[x:, x:], k + 4))
    return t
