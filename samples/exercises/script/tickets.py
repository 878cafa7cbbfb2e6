"""The reference: what a group pays for its tickets."""


def price(age):
    """Return what one person pays."""
    if age < 12:
        return 4
    return 6.5 if age >= 65 else 9


def main():
    """Ask, and print."""
    count = int(input("How many people? "))
    if count == 0:
        print("Nobody comes.")
        return
    total = sum(price(int(input("Age: "))) for _ in range(count))
    if count >= 5:
        total *= 0.9
    print(f"Total: {total:.2f} euro")


if __name__ == "__main__":
    main()
