"""`recall forget`: remove a session from everything Recall keeps, and keep it removed."""
