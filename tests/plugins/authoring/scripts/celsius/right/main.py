def main():
    print("That is", to_celsius(int(input("Fahrenheit: "))), "degrees Celsius.")

def to_celsius(f):
    return 5 * (f - 32) / 9

if __name__ == "__main__":
    main()
