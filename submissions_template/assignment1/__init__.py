"""Assignment1: the parts of a modern transformer, one file a topic."""
