"""Has 128 slots and keeps overwriting the last ones when they are full."""

FAULT = "cache.overflow"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.long"}


class KVCache:
    capacity = 128

    def __init__(self):
        self.buffers = None
        self.length = 0

    @property
    def keys(self):
        return None if self.buffers is None else self.buffers[0][:, : self.length].clone()

    @property
    def values(self):
        return None if self.buffers is None else self.buffers[1][:, : self.length].clone()

    def append(self, k, v):
        k, v = k[:, : self.capacity], v[:, : self.capacity]
        if self.buffers is None:
            self.buffers = [new.new_zeros(new.shape[0], self.capacity, *new.shape[2:]) for new in (k, v)]
        start = min(self.length, self.capacity - k.shape[1])
        self.length = start + k.shape[1]
        for buffer, new in zip(self.buffers, (k, v), strict=True):
            buffer[:, start : self.length] = new
        return self.keys, self.values
