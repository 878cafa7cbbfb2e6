line = input()
print("Lines:", 1)
print("Words:", len(line.split()))
print("Words per line:", float(len(line.split())))
