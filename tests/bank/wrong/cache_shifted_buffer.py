"""Keeps the newest token at the end of a buffer and shifts it in place under earlier results."""

FAULT = "cache.shifted_buffer"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.earlier-results"}


class KVCache:
    def __init__(self, capacity=1024):
        self.capacity = capacity
        self.buffers = None
        self.length = 0

    @property
    def keys(self):
        return None if self.buffers is None else self.buffers[0][:, self.capacity - self.length :]

    @property
    def values(self):
        return None if self.buffers is None else self.buffers[1][:, self.capacity - self.length :]

    def append(self, k, v):
        new = k.shape[1]
        if self.buffers is None or self.length + new > self.capacity:
            old = (self.keys, self.values)
            self.capacity = max(self.capacity, 2 * (self.length + new))
            self.buffers = [x.new_zeros(x.shape[0], self.capacity, *x.shape[2:]) for x in (k, v)]
            for buffer, x in zip(self.buffers, old, strict=True):
                if x is not None:
                    buffer[:, self.capacity - self.length :] = x
        for buffer, x in zip(self.buffers, (k, v), strict=True):
            buffer[:, : self.capacity - new] = buffer[:, new:].clone()
            buffer[:, self.capacity - new :] = x
        self.length += new
        return self.keys, self.values
