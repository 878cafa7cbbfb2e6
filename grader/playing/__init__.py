"""Plays an exercise that is a game: the window is ours, the modules run in an executor."""
