def are_chained_rec(positions):
    def y(f):
        return (lambda x: x(x))(lambda x: f(lambda a, b: x(x)(a, b)))

    stap = lambda zelf: lambda over, rand: (
        True
        if not over
        else (len(rand & over) > 0)
        and zelf(over - rand, set().union(*map(get_adjacent_positions, rand & over)))
    )
    over = set(positions)
    return y(stap)(over, set(sorted(over)[:1]))
