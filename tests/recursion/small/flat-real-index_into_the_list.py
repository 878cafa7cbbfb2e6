def flat(nested, index=0):
    if index >= len(nested):
        return []
    item = nested[index]
    here = flat(item) if type(item) is list else [item]
    return here + flat(nested, index + 1)
