"""Exactly what a chat would be given from memory."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs
from caesar.api.base import MemoryView
from memory import context


class Question(serializers.Serializer[Any]):
    """What a chat would ask."""

    query = serializers.CharField(required=False, help_text="What the person asks.")
    space = serializers.CharField(required=False, help_text="Where they ask; none: general.")
    max_chars = serializers.IntegerField(required=False, min_value=0, help_text="Most characters of the block.")


class Item(serializers.Serializer[Any]):
    id = serializers.CharField()
    text = serializers.CharField()


class Context(serializers.Serializer[Any]):
    block = serializers.CharField(help_text="What is put before the chat; empty where there is nothing.")
    facts = Item(many=True)
    episodes = Item(many=True)


class ContextView(MemoryView):
    @extend_schema(
        operation_id="readContext",
        summary="See what a chat would be given",
        description="Nothing is asked of a model and nothing is kept.",
        request=Question,
        responses=docs.answers(Context, 404),
    )
    def post(self, request: Request) -> Response:
        given = context.for_question(profile_id=self.caller.profile_id, fields=self.sent)
        return Response(
            {
                "block": given.block,
                "facts": [{"id": i, "text": text} for i, text in given.facts],
                "episodes": [{"id": i, "text": text} for i, text in given.episodes],
            }
        )
