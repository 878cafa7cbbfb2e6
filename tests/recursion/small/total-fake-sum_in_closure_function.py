def total(numbers):
    give = iter([sum(numbers)]).__next__

    def down(n):
        if n == 0:
            return give()
        return down(n - 1)

    return down(len(numbers))
