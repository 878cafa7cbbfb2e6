LETTERS = [("M", 1000), ("CM", 900), ("D", 500), ("CD", 400), ("C", 100), ("XC", 90),
           ("L", 50), ("XL", 40), ("X", 10), ("IX", 9), ("V", 5), ("IV", 4), ("I", 1)]


def to_roman(number):
    if number < 1 or number > 3999:
        return "ValueError: no Roman numeral"
    text = ""
    for letters, value in LETTERS:
        text += number // value * letters
        number %= value
    return text


def from_roman(text):
    total = 0
    for letters, value in LETTERS:
        while text.startswith(letters):
            total += value
            text = text[len(letters):]
    return total
