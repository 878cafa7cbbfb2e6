a = int(input("First number: "))
print("The sum is", a + 4)
