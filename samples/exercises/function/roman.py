"""The reference: Roman numerals and back."""

_LETTERS = {
    "M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40,
    "X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1,
}  # fmt: skip


def to_roman(number):
    """Return the Roman numeral for a number from 1 to 3999."""
    if not 1 <= number <= 3999:
        raise ValueError("no Roman numeral")
    text = ""
    for letters, value in _LETTERS.items():
        while number >= value:
            text += letters
            number -= value
    return text


def from_roman(text):
    """Return the number that a Roman numeral stands for."""
    values = [_LETTERS[letter] for letter in text]
    total = 0
    for value, following in zip(values, [*values[1:], 0], strict=True):
        total += -value if value < following else value
    return total
