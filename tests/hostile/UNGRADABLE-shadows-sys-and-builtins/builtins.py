print = None
