def triomino(n, p):
    problemas = [pbInicial(n, p)]
    hijos = {}
    for indice, pb in enumerate(problemas):
        if not ind(pb):
            hijos[indice] = len(problemas)
            problemas.extend(divide(pb))
    soluciones = [None] * len(problemas)
    for indice in range(len(problemas) - 1, -1, -1):
        if indice in hijos:
            h = hijos[indice]
            soluciones[indice] = combina(problemas[indice], soluciones[h : h + 4])
        else:
            soluciones[indice] = resuelve(problemas[indice])
    return soluciones[0]
