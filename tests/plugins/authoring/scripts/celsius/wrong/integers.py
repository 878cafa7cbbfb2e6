def to_celsius(f):
    return (f - 32) * 5 // 9

if __name__ == "__main__":
    print("That is", to_celsius(int(input("Fahrenheit: "))), "degrees Celsius.")
