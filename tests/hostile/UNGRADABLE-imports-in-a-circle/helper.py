from attack import other

value = other
