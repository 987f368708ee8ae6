"""Mistakes in the positions that the attention module turns Q and K by."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionModule, AttentionSteps

# -- its own positions, when none are given ---------------------------------------------------------------------


@mistake("gqa.default_zero", part="gqa")
class DefaultZero(AttentionSteps):
    """Leaves every token at position 0 when no positions are given."""

    def default_positions(self, m: AttentionModule, x: Tensor, cache: Any) -> Tensor:
        return torch.zeros(x.shape[1], dtype=torch.long)


@mistake("gqa.default_same", part="gqa")
class DefaultSame(AttentionSteps):
    """Puts all tokens of a chunk at one position, the history's length, when no positions are given."""

    def default_positions(self, m: AttentionModule, x: Tensor, cache: Any) -> Tensor:
        return torch.full((x.shape[1],), self.history(m, cache))


@mistake("gqa.default_from_one", part="gqa")
class DefaultFromOne(AttentionSteps):
    """Counts its own positions from 1, which only the cached keys show."""

    def history(self, m: AttentionModule, cache: Any) -> int:
        return super().history(m, cache) + 1


@mistake("gqa.default_missing", part="gqa")
class DefaultMissing(AttentionSteps):
    """Does not choose positions when none are given, and hands None to the rotation."""

    def choose_positions(self, m: AttentionModule, x: Tensor, positions: Tensor | None, cache: Any) -> Any:
        return positions


@mistake("gqa.default_reversed", part="gqa")
class DefaultReversed(AttentionSteps):
    """Counts its own positions down instead of up."""

    def default_positions(self, m: AttentionModule, x: Tensor, cache: Any) -> Tensor:
        return super().default_positions(m, x, cache).flip(0)


@mistake("cache.decode_pos_zero", part="gqa")
class DecodeFromZero(AttentionSteps):
    """Restarts positions at 0 on every decode step."""

    def history(self, m: AttentionModule, cache: Any) -> int:
        return 0


@mistake("cache.decode_pos_off_by_one", part="gqa")
class DecodeOneTooFar(AttentionSteps):
    """Starts decoding one position too far, at the history's length plus one."""

    def history(self, m: AttentionModule, cache: Any) -> int:
        start = super().history(m, cache)
        return start + 1 if start else 0


@mistake("cache.decode_pos_one_behind", part="gqa")
class DecodeOneBehind(AttentionSteps):
    """Starts decoding at the position of the last token of the history, one too early."""

    def history(self, m: AttentionModule, cache: Any) -> int:
        return max(super().history(m, cache) - 1, 0)


@mistake("cache.decode_pos_history_twice", part="gqa")
class DecodeHistoryTwice(AttentionSteps):
    """Adds the history's length twice when decoding."""

    def history(self, m: AttentionModule, cache: Any) -> int:
        return 2 * super().history(m, cache)


@mistake("cache.decode_pos_after_append", part="gqa")
class DecodeAfterAppend(AttentionSteps):
    """Reads the history's length after the new tokens were appended, so they are counted too."""

    def default_positions(self, m: AttentionModule, x: Tensor, cache: Any) -> Tensor:
        return super().default_positions(m, x, cache) + (0 if cache is None else x.shape[1])


@mistake("cache.decode_pos_counts_calls", part="gqa")
class DecodeCountsCalls(AttentionSteps):
    """Counts calls instead of tokens when decoding: each call starts one position after the last call's start."""

    def history(self, m: AttentionModule, cache: Any) -> int:
        if cache is None or not super().history(m, cache):
            m.memory["calls"] = 0
            return 0
        m.memory["calls"] = m.memory.get("calls", 0) + 1
        return int(m.memory["calls"])


@mistake("gqa.query_positions_restart", part="gqa")
class QueryPositionsRestart(AttentionSteps):
    """Rotates new keys by positions that continue, but queries from position 0 again."""

    def rotate_queries(self, m: AttentionModule, q: Tensor, positions: Tensor) -> Tensor:
        return super().rotate_queries(m, q, torch.arange(q.shape[1]))


@mistake("gqa.key_positions_restart", part="gqa")
class KeyPositionsRestart(AttentionSteps):
    """Rotates queries by positions that continue, but new keys from position 0 again."""

    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        return super().rotate_keys(m, k, torch.arange(k.shape[1]))


@mistake("gqa.module_counter", part="gqa")
class ModuleCounter(AttentionSteps):
    """Counts decoded tokens on the module instead of reading the cache, so two sequences mix."""

    def default_positions(self, m: AttentionModule, x: Tensor, cache: Any) -> Tensor:
        start = m.memory.get("next", 0) if super().history(m, cache) else 0
        if cache is not None:
            m.memory["next"] = start + x.shape[1]
        return torch.arange(start, start + x.shape[1])


@mistake("gqa.module_counter_kept", part="gqa")
class ModuleCounterKept(AttentionSteps):
    """Counts tokens on the module and does not start again for a new cache."""

    def default_positions(self, m: AttentionModule, x: Tensor, cache: Any) -> Tensor:
        start = 0 if cache is None else m.memory.get("next", 0)
        if cache is not None:
            m.memory["next"] = start + x.shape[1]
        return torch.arange(start, start + x.shape[1])


# -- positions that are given -----------------------------------------------------------------------------------


class _Given(AttentionSteps):
    def given_as_used(self, m: AttentionModule, x: Tensor, positions: Tensor, cache: Any) -> Tensor | None:
        """What is made of the caller's positions."""
        raise NotImplementedError

    def choose_positions(self, m: AttentionModule, x: Tensor, positions: Tensor | None, cache: Any) -> Tensor:
        made = None if positions is None else self.given_as_used(m, x, positions, cache)
        return super().choose_positions(m, x, made, cache)


@mistake("gqa.given_first_row", part="gqa")
class GivenFirstRow(_Given):
    """Uses the first row of given [B, T] positions for the whole batch."""

    def given_as_used(self, m: AttentionModule, x: Tensor, positions: Tensor, cache: Any) -> Tensor | None:
        return positions[0] if positions.dim() == 2 else positions


@mistake("gqa.given_ignored", part="gqa")
class GivenIgnored(_Given):
    """Counts positions by itself and never uses those it is given."""

    def given_as_used(self, m: AttentionModule, x: Tensor, positions: Tensor, cache: Any) -> Tensor | None:
        return None


@mistake("gqa.given_ignored_with_cache", part="gqa")
class GivenIgnoredWithCache(_Given):
    """Uses given positions without a cache and ignores them as soon as there is one."""

    def given_as_used(self, m: AttentionModule, x: Tensor, positions: Tensor, cache: Any) -> Tensor | None:
        return positions if cache is None else None


@mistake("gqa.given_plus_history", part="gqa")
class GivenPlusHistory(_Given):
    """Adds the history's length to positions that are given, which already count it."""

    def given_as_used(self, m: AttentionModule, x: Tensor, positions: Tensor, cache: Any) -> Tensor | None:
        return positions + self.history(m, cache)


@mistake("gqa.given_start_only", part="gqa")
class GivenStartOnly(_Given):
    """Takes only the first of the given positions and counts on from there."""

    def given_as_used(self, m: AttentionModule, x: Tensor, positions: Tensor, cache: Any) -> Tensor | None:
        return positions[..., :1] + torch.arange(x.shape[1])


@mistake("gqa.given_sorted", part="gqa")
class GivenSorted(_Given):
    """Sorts the given positions."""

    def given_as_used(self, m: AttentionModule, x: Tensor, positions: Tensor, cache: Any) -> Tensor | None:
        return positions.sort(dim=-1).values


@mistake("gqa.rows_rejected", part="gqa")
class RowsRejected(_Given):
    """Turns positions of the shape [B, T] away with a ValueError."""

    def given_as_used(self, m: AttentionModule, x: Tensor, positions: Tensor, cache: Any) -> Tensor | None:
        if positions.dim() != 1:
            raise ValueError("positions must be [T]")
        return positions


@mistake("gqa.given_for_queries_only", part="gqa")
class GivenForQueriesOnly(AttentionSteps):
    """Rotates Q by the given positions, and K by its own."""

    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        return super().rotate_keys(m, k, m.memory["own"])

    def choose_positions(self, m: AttentionModule, x: Tensor, positions: Tensor | None, cache: Any) -> Tensor:
        m.memory["own"] = self.default_positions(m, x, cache)
        return super().choose_positions(m, x, positions, cache)


@mistake("gqa.given_for_keys_only", part="gqa")
class GivenForKeysOnly(AttentionSteps):
    """Rotates K by the given positions, and Q by its own."""

    def rotate_queries(self, m: AttentionModule, q: Tensor, positions: Tensor) -> Tensor:
        return super().rotate_queries(m, q, m.memory["own"])

    def choose_positions(self, m: AttentionModule, x: Tensor, positions: Tensor | None, cache: Any) -> Tensor:
        m.memory["own"] = self.default_positions(m, x, cache)
        return super().choose_positions(m, x, positions, cache)
