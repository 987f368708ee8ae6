"""What models of mistakes answered, kept for the next submission of a class, which is asked the same.

An answer of a model follows from the mistakes in it and from the requests of the case up to there. So the key of an
answer is the mistakes' ids and a digest of these requests, one after another; who answered what is not in it.
How well a model agrees with a submission follows from that and the submission's own answers, which are often those of
the last submission bit for bit.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from grader.transcript import Transcript
from grader.wire.codec import Handle, RawTensor, Value

MOST_BYTES = 8 << 20
"""Of answers, so that a large class takes no more memory than a small one: 2,000 of them."""
MOST_AGREEMENTS = 8_000
OBJECTS = 2500
"""Bytes of the objects that an answer is made of, besides its numbers; measured."""

Digests = Sequence[bytes]


class Memory:
    """Answers and agreements, least recently used ones forgotten first.

    Args:
        most: bytes of answers.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most, self._bytes = most, 0
        self._answers: OrderedDict[Hashable, tuple[Mapping[str, Value], int]] = OrderedDict()
        self._agreements: OrderedDict[Hashable, Any] = OrderedDict()
        self._asked: dict[int, tuple[Transcript, Digests, bytes]] = {}

    def begin(self) -> None:
        """A new submission: digests of the last one's transcripts are not needed any more."""
        self._asked.clear()

    def requests(self, transcript: Transcript) -> Digests:
        """For each exchange, a digest of all requests up to it."""
        return self._digests(transcript)[0]

    def whole(self, transcripts: Sequence[Transcript]) -> bytes:
        """A digest of all requests and answers."""
        return b"".join(self._digests(transcript)[1] for transcript in transcripts)

    def answer(self, key: Hashable) -> Mapping[str, Value] | None:
        """An answer that is kept."""
        if key not in self._answers:
            return None
        self._answers.move_to_end(key)
        return self._answers[key][0]

    def keep_answer(self, key: Hashable, answer: Mapping[str, Value]) -> None:
        """Keep an answer."""
        size = OBJECTS + size_of(answer)
        self._answers[key] = answer, size
        self._bytes += size
        while self._bytes > self._most:
            _, (_, forgotten) = self._answers.popitem(last=False)
            self._bytes -= forgotten

    def agreement(self, key: Hashable) -> Any:
        """An agreement that is kept; None: none is."""
        return self._agreements.get(key)

    def keep_agreement(self, key: Hashable, agreement: Any) -> None:
        """Keep an agreement."""
        self._agreements[key] = agreement
        if len(self._agreements) > MOST_AGREEMENTS:
            self._agreements.popitem(last=False)

    def _digests(self, transcript: Transcript) -> tuple[Digests, bytes]:
        known = self._asked.get(id(transcript))
        if known is None or known[0] is not transcript or len(known[1]) != len(transcript.exchanges):
            requests, digests, handles = hashlib.blake2b(digest_size=16), [], dict[int, int]()
            answers = hashlib.blake2b(digest_size=16)
            for exchange in transcript.exchanges:
                _feed(requests, exchange.request, handles)
                _feed(answers, exchange.answer, handles)
                digests.append(requests.copy().digest())
            answers.update(requests.digest())
            known = self._asked[id(transcript)] = transcript, digests, answers.digest()
        return known[1], known[2]


def _feed(digest: Any, value: Any, handles: dict[int, int]) -> None:
    """Feed a value to a digest, unambiguously; handles count by their first appearance."""
    if isinstance(value, RawTensor):
        form = f"t {value.dtype} {value.shape} {value.strides} {value.offset} {len(value.data)}:"
        digest.update(form.encode())
        digest.update(value.data)
    elif isinstance(value, Mapping):
        digest.update(f"m {len(value)}:".encode())
        for key, item in value.items():
            digest.update(f"{key!r}:".encode())
            _feed(digest, item, handles)
    elif isinstance(value, (list, tuple)):
        digest.update(f"l {len(value)}:".encode())
        for item in value:
            _feed(digest, item, handles)
    elif isinstance(value, Handle):
        digest.update(f"h {handles.setdefault(value.number, len(handles))};".encode())
    else:
        digest.update(f"{type(value).__name__} {value!r};".encode("utf-8", "surrogatepass"))


def size_of(value: Any) -> int:
    """About how many bytes a value takes."""
    if isinstance(value, RawTensor):
        return len(value.data) + 100
    if isinstance(value, Mapping):
        return sum(size_of(item) for item in value.values())
    return sum(size_of(item) for item in value) if isinstance(value, list) else 16
