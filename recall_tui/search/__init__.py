"""The two paths over one predicate: grep for people, recall for agents."""
