"""What to do with a session once it is found: continue, repeat, skill, hand-off, related, export."""
