"""What the generator of the hidden suite of triomino asks, function by function."""
