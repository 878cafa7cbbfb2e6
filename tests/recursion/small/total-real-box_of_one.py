def total(numbers):
    box = [0]

    def add(rest):
        if rest:
            box[0] += rest[0]
            add(rest[1:])

    add(numbers)
    return box[0]
