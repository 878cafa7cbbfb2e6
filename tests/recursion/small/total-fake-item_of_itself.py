class Down:
    def __init__(self, numbers):
        self.code = 2 * sum(numbers) + 1

    def __getitem__(self, n):
        return self[n - 1] if n else self.code // 2


def total(numbers):
    return Down(numbers)[len(numbers)]
