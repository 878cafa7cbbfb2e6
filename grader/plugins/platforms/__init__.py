"""Learning platforms: what teachers download from them, and what they import."""
