"""What all models of the report have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Knows all of its fields, and writes every number so that it can be read back."""

    # strings for NaN and infinity: JSON has no such numbers, and null could not be read back
    model_config = ConfigDict(extra="forbid", ser_json_inf_nan="strings")
