"""What to do with a session: continue, repeat, skill, hand-off, related, export, relations."""
