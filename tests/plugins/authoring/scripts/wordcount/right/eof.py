lines = []
try:
    while True:
        lines.append(input())
except EOFError:
    pass
words = " ".join(lines).split()
print("Lines:", len(lines))
print("Words:", len(words))
print("Words per line:", len(words) / len(lines))
