import sys

lines = sys.stdin.readlines()
words = sum(len(line.split()) for line in lines)
print("Lines:", len(lines))
print("Words:", words)
print("Words per line:", words / len(lines))
