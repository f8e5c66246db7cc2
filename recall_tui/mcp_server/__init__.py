"""The agents' tools, `Recall`, `RecallMore` and `RecallMaterial`: no retrieval logic of its own."""
