import sys
text = sys.stdin.read()
print("Lines:", text.count("\n"))
print("Words:", len(text))
print("Words per line:", len(text) / text.count("\n"))
