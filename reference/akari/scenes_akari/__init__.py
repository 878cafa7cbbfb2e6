"""What the generator of the hidden suite of Akari asks, method by method."""
