import sys

def main(arguments):
    if len(arguments) != 2:
        print(f"usage: {sys.argv[0]} BASE EXPONENT")
        return 2
    base, exponent = map(int, arguments)
    result = 1
    for _ in range(exponent):
        result *= base
    print(result)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
