def flat(nested, found=None):
    if found is None:
        text = str(nested).replace("[", " ").replace("]", " ").replace(",", " ")
        found = [int(word) for word in text.split()]
    if not found:
        return []
    return found[:1] + flat(nested, found[1:]) if len(found) > 1 else found
