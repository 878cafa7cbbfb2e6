"""Learning platforms: what they let a teacher download, and what they take back."""
