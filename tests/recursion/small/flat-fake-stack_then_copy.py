def flat(nested):
    stack, leaves = [nested], []
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(item)
        else:
            leaves.append(item)
    return turned(leaves)


def turned(leaves):
    if not leaves:
        return []
    return [leaves[-1]] + turned(leaves[:-1])
