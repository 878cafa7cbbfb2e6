def flat(nested):
    return list(leaves(nested))


def leaves(nested):
    for item in nested:
        if isinstance(item, list):
            yield from leaves(item)
        else:
            yield item
