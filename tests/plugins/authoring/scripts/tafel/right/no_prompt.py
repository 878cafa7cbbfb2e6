n = int(input())
print("\n".join(f"{i} x {n} = {i * n}" for i in (1, 2, 3, 4, 5)))
