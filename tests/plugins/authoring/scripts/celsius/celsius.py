def to_celsius(fahrenheit):
    return (fahrenheit - 32) * 5 / 9

if __name__ == "__main__":
    degrees = float(input("Fahrenheit: "))
    print(f"That is {to_celsius(degrees)} degrees Celsius.")
