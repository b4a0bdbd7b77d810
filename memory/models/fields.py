"""Column types and defaults that several tables share."""

from __future__ import annotations

import uuid
from typing import Any

import fastuuid
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from memory.domain.terms import term_ids, tokens


def new_id() -> uuid.UUID:
    """A UUID version 7: in order of time, so that rows made together lie together."""
    return uuid.UUID(int=fastuuid.uuid7().int)


def uuid_key() -> Any:
    return models.UUIDField(primary_key=True, default=new_id, editable=False)


def now_column() -> Any:
    """Set by the database, so that hosts with different clocks agree."""
    return models.DateTimeField(db_default=Now(), editable=False)


def one_of(field: str, enum: type[Any], name: str) -> models.CheckConstraint:
    """A CHECK that the column holds a value of the enum."""
    return models.CheckConstraint(condition=models.Q(**{f"{field}__in": [e.value for e in enum]}), name=name)


class TermsField(ArrayField):
    """The distinct terms of the row's `words()`, hashed with its profile, set whenever the row is saved.

    `QuerySet.update` goes past it: whoever changes words in that way sets the terms too.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{"base_field": models.BigIntegerField(), "default": list, "db_default": [], **options}
            | {"editable": False, "blank": True}
        )

    def pre_save(self, model_instance: Any, add: bool) -> Any:
        terms = terms_of(model_instance)
        setattr(model_instance, self.attname, terms)
        return terms


def terms_of(row: Any) -> list[int]:
    """What a row with `words()` is found by."""
    return term_ids(row.profile_id, tokens(row.words()))


class Xid8Field(models.Field):  # type: ignore[type-arg]
    """A 64-bit transaction id that never wraps (xid8)."""

    def db_type(self, connection: Any) -> str:
        return "xid8"

    def from_db_value(self, value: Any, *_: Any) -> int | None:
        return None if value is None else int(value)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        return None if value is None else str(value)
