"""Assignment 1: norms, rotary positions, key/value cache, grouped-query attention, feed-forward layers and blocks."""
