"""Recall gives a developer back everything said and done in their coding-agent sessions."""

__version__ = "0.1.0"
