def to_celsius(f):
    return (f - 32) * 5 / 9

print("That is", to_celsius(int(input("Fahrenheit: "))), "degrees Celsius.")
