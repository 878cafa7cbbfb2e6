def total(numbers):
    return _sorted(list(numbers))[1]
def _sorted(numbers):
    if len(numbers) < 2:
        return numbers, sum(numbers)
    half = len(numbers) // 2
    (left, one), (right, two) = _sorted(numbers[:half]), _sorted(numbers[half:])
    merged = []
    while left and right:
        merged.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return merged + left + right, one + two
