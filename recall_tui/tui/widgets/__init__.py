"""Reusable parts with a state of their own: one file each."""
