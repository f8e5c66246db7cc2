"""Our one SQLite file: blocks of text, sessions, sync of sources; and user.db beside it."""
