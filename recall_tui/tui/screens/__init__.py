"""Whole-terminal tasks: one file each, imported when first shown."""
