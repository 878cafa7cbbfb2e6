def flat(nested):
    match nested:
        case []:
            return []
        case [list(first), *rest]:
            return flat(first) + flat(rest)
        case [first, *rest]:
            return [first, *flat(rest)]
