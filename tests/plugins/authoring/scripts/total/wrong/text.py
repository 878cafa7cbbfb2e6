first = input("First number: ")
second = input("Second number: ")
print("The sum is", first + second)
