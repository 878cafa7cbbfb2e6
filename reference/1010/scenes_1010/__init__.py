"""What the generator of the hidden suite of 1010! asks, module by module of the exercise."""
