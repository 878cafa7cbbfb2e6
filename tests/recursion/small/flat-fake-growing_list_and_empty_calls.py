def flat(nested):
    result = list(nested)
    i = 0
    while i < len(result):
        if isinstance(result[i], list):
            result[i:i + 1] = result[i] + flat([])
        else:
            i += 1
    return result
