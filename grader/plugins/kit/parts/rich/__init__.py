"""As much of rich as a kit needs: plain text."""
