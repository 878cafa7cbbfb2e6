def flat(nested, into=None):
    into = [] if into is None else into
    for item in nested:
        if type(item) is list:
            flat(item, into)
        else:
            into.append(item)
    return into
