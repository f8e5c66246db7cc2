"""Keeping the index in step with the sources: discover, plan, read, write."""
