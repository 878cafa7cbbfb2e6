stdout = None
