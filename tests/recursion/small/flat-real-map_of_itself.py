def flat(nested):
    if not isinstance(nested, list):
        return [nested]
    return sum(map(flat, nested), [])
