def total(numbers):
    answer = sum(numbers)

    def down(n):
        if n == 0:
            return answer
        return down(n - 1)

    return down(len(numbers))
