import sys

if len(sys.argv) != 3:
    print("usage: power.py BASE EXPONENT")
    sys.exit(2)
print(int(sys.argv[1]) ** int(sys.argv[2]))
