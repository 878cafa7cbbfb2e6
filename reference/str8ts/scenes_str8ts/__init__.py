"""What the generator of the hidden suite of Str8ts asks, method by method."""
