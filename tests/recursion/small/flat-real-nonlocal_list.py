def flat(nested):
    result = []

    def visit(item):
        if isinstance(item, list):
            for each in item:
                visit(each)
        else:
            result.append(item)

    visit(nested)
    return result
