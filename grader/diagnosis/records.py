"""What the search knows of a check that was run."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from grader.transcript import Transcript

_REACHES = {
    "LayerNorm": {"norm"},
    "RMSNorm": {"norm"},
    "rope_frequencies": {"rope"},
    "rope_cos_sin": {"rope"},
    "apply_rope": {"rope"},
    "KVCache": {"cache"},
    "grouped_query_attention": {"attention"},
    "kv_cache_bytes": {"attention"},
    "GroupedQueryAttention": {"gqa", "attention", "rope", "cache"},
    "ReLUFeedForward": {"ffn"},
    "SwiGLU": {"ffn"},
    "swiglu_hidden_dim": {"ffn"},
    "TransformerBlock": {"block", "gqa", "attention", "rope", "cache", "ffn", "norm"},
    "Transformer": {"transformer", "block", "gqa", "attention", "rope", "cache", "ffn", "norm"},
}
ORDER = ("norm", "rope", "cache", "attention", "ffn", "gqa", "block", "transformer")


@dataclass(frozen=True)
class CheckRecord:
    """One check that was run: all its cases, and whether it passed.

    Attributes:
        sitting: checks of one sitting ran one after another in one process: what one leaves behind, the next may find.
    """

    id: str
    passed: bool
    transcripts: Sequence[Transcript]
    sitting: int = 0

    @functools.cached_property
    def parts(self) -> set[str]:
        """The parts of the contract's code that its calls reach."""
        names = {
            str(exchange.request.get("target", "")).rpartition(":")[2]
            for transcript in self.transcripts
            for exchange in transcript.exchanges
        }
        return set().union(*(_REACHES.get(name, set()) for name in names))

    @functools.cached_property
    def depth(self) -> int:
        """Parts before wholes."""
        return max((ORDER.index(part) for part in self.parts), default=0)

    @property
    def own_part(self) -> str:
        """The outermost part that it reaches."""
        return ORDER[self.depth]
