def flat(nested):
    if nested == []:
        return []
    head, tail = nested[0], nested[1:]
    if isinstance(head, list):
        return flat(head) + flat(tail)
    return [head] + flat(tail)
