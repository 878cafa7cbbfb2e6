import sys

n = w = 0
for line in sys.stdin:
    n += 1
    w += len(line.split())
print(f"Lines: {n}\nWords: {w}\nWords per line: {w / n:.1f}")
