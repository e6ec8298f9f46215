"""What all messages share: strictness, and bounds on everything that comes in."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from linkwise.query import NAMES

#: The largest journal position and row number a message may name.
MOST = 2**53 - 1
#: Unknown fields that are refused by name; more are refused as a heap.
MORE_FIELDS = 10


def _whole(value: Any) -> Any:
    """Read 3.0 as 3: to JSON they are the same number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = BeforeValidator(_whole)
Seq = Annotated[int, Field(ge=0, le=MOST)]
RowNumber = Annotated[int, Field(ge=0, le=2**31 - 1), Whole]
#: A row by its number, or by the id that the data give it, which is text.
RowName = RowNumber | Annotated[str, Field(min_length=1, max_length=1000)]
ClusterNumber = Annotated[int, Field(ge=0, le=65_535), Whole]
Name = Annotated[str, Field(min_length=1, max_length=200)]
ColumnName = Annotated[str, Field(min_length=1, max_length=1000)]
if TYPE_CHECKING:  # the strategies there are, which no type checker reads
    Strategy = str
else:
    Strategy = Literal[NAMES]


class Message(BaseModel):
    """What the service says."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


@cache
def _n_fields(model: type[BaseModel]) -> int:
    """Return how many fields a message has; pydantic makes a list of them each time."""
    return len(model.model_fields)


class Request(BaseModel):
    """What the service is told: exactly these fields, of exactly these types."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _not_too_many_fields(cls, sent: object) -> object:
        """Refuse a heap of fields at once: each of them would be refused with care otherwise."""
        known = _n_fields(cls)
        if isinstance(sent, dict) and len(sent) > known + MORE_FIELDS:
            raise PydanticCustomError(
                "too_many_fields", "at most {known} fields are known here", {"known": known}
            )
        return sent


class Refusal(Message):
    """Why something was not done."""

    error: str


class Health(Message):
    """The service is up."""

    status: Literal["ok"]
    version: str
