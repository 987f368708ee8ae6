"""How a submission refuses arguments that the contract forbids."""

from __future__ import annotations

from dataclasses import dataclass

from grader.errors import CheckFailure


@dataclass(frozen=True)
class Refusal:
    """How the submission reacted to arguments that the contract forbids.

    Attributes:
        raised: the exception's type name; None when the call returned.
        is_value_error: whether it was a ValueError.
        message: its text.
    """

    raised: str | None
    is_value_error: bool
    message: str

    def must_be_value_error(self, name: str, given: str) -> None:
        """Require a ValueError with a message. Raises CheckFailure.

        Args:
            name: what was called.
            given: the forbidden arguments, for the message.
        """
        if self.raised is None:
            raise CheckFailure("errors.none", name=name, given=given)
        if not self.is_value_error:
            raise CheckFailure("errors.other", name=name, given=given, actual=self.raised, detail=self.message)
        if not self.message.strip():
            raise CheckFailure("errors.silent", name=name, given=given)

    def must_mention(self, value: str) -> None:
        """Require that the message shows the refused value. Raises CheckFailure."""
        if value not in self.message:
            raise CheckFailure("errors.vague", value=value, detail=self.message)
