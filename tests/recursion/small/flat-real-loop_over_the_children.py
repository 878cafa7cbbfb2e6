def flat(nested):
    result = []
    for item in nested:
        if isinstance(item, list):
            result.extend(flat(item))
        else:
            result.append(item)
    return result
