"""Boards: values and texts read as cells, and cells drawn as SVG."""
