w = float(input("Weight: "))
h = float(input("Height: "))
print(f"Your BMI is {w / h ** 2:.1f}.")
print("That is too much.")
