LETTERS = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


def to_roman(number):
    if number < 1 or number > 3999:
        raise ValueError("no Roman numeral")
    text = ""
    for letter, value in LETTERS.items():
        text += number // value * letter
        number %= value
    return text


def from_roman(text):
    return sum(LETTERS[letter] for letter in text)
