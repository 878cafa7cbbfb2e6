"""What the generator of the hidden suite of Yin-Yang asks, method by method."""
