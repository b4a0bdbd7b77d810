"""The threads that were chatted in."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import overview
from memory.models import Conversation


class ConversationSerializer(serializers.Serializer[Conversation]):
    id = serializers.CharField(source="public_id", help_text="What a chat sends as conversation_id.")
    space = serializers.CharField(source="space.slug")
    started_at = serializers.DateTimeField()
    last_said_at = serializers.DateTimeField(allow_null=True)


class ConversationList(MemoryView):
    @extend_schema(
        operation_id="listConversations",
        summary="List the conversations",
        description="Those begun last come first.",
        parameters=[*docs.PAGE],
        responses=docs.answers(docs.page_of(ConversationSerializer), 400),
    )
    def get(self, request: Request) -> Response:
        params.only(request, *docs.PAGE_NAMES)
        with self.scope():
            rows = overview.conversations_listed(profile_id=self.caller.profile_id)
            return self.listed(rows, ConversationSerializer)
