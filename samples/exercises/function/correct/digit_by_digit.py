def to_roman(number):
    if number < 1 or number > 3999:
        raise ValueError("no Roman numeral")
    result = ""
    for one, five, ten in ("IVX", "XLC", "CDM", "M  "):
        number, digit = divmod(number, 10)
        part = ["", one, 2 * one, 3 * one, one + five, five, five + one, five + 2 * one,
                five + 3 * one, one + ten][digit]
        result = part + result
    return result


def from_roman(text):
    for number in range(1, 4000):
        if to_roman(number) == text:
            return number
