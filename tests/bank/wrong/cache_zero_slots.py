"""Keeps whole blocks of 16 slots and hands out the empty ones too."""

FAULT = "cache.zero_slots"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.shapes"}


class KVCache:
    def __init__(self):
        self.keys = None
        self.values = None
        self.length = 0

    def append(self, k, v):
        self.keys = self.write(self.keys, k)
        self.values = self.write(self.values, v)
        self.length += k.shape[1]
        return self.keys, self.values

    def write(self, old, new):
        total = self.length + new.shape[1]
        slots = (total + 15) // 16 * 16
        buffer = new.new_zeros(new.shape[0], slots, *new.shape[2:])
        if self.length > 0:
            buffer[:, : self.length] = old[:, : self.length]
        buffer[:, self.length : total] = new
        return buffer
