"""Contexts inside the person's memory, such as work and home."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import spaces
from memory.models import Space


class SpaceChanges(serializers.Serializer[Any]):
    """What can be changed."""

    name = serializers.CharField(required=False, max_length=spaces.MAX_NAME)
    memory_enabled = serializers.BooleanField(required=False, help_text="Is anything remembered here?")
    summaries_enabled = serializers.BooleanField(required=False, help_text="Are its conversations summarised?")


class NewSpace(SpaceChanges):
    """A space to be made."""

    slug = serializers.CharField(max_length=spaces.MAX_SLUG, help_text="What a chat calls it by.")


class SpaceSerializer(serializers.Serializer[Space]):
    slug = serializers.CharField()
    name = serializers.CharField()
    memory_enabled = serializers.BooleanField()
    summaries_enabled = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class RemovedSerializer(serializers.Serializer[Any]):
    facts = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many were deleted, kept, known already or sent to review."
    )


class SpaceList(MemoryView):
    @extend_schema(
        operation_id="listSpaces",
        summary="List the spaces",
        parameters=[*docs.PAGE],
        responses=docs.answers(docs.page_of(SpaceSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, *docs.PAGE_NAMES)
        with self.scope():
            return self.listed(spaces.listed(profile_id=self.caller.profile_id), SpaceSerializer)

    @extend_schema(
        operation_id="makeSpace",
        summary="Make a space",
        request=NewSpace,
        responses=docs.answers(SpaceSerializer, 409, status=201),
    )
    def post(self, request: Request) -> Response:
        made = spaces.create_space(profile_id=self.caller.profile_id, fields=self.sent)
        return Response(SpaceSerializer(made).data, status=201)


class SpaceDetail(MemoryView):
    @extend_schema(
        operation_id="changeSpace",
        summary="Rename a space, or switch its memory on or off",
        request=SpaceChanges,
        responses=docs.answers(SpaceSerializer, 404),
    )
    def patch(self, request: Request, slug: str) -> Response:
        space = spaces.update_space(profile_id=self.caller.profile_id, slug=slug, changes=self.sent)
        return Response(SpaceSerializer(space).data)

    @extend_schema(
        operation_id="removeSpace",
        summary="Remove a space",
        description="No chat finds it any more and nothing of it is recalled. Its conversations stay until they are "
        "deleted or old enough to be swept; they are not read any more. Its facts are deleted, or hold everywhere: "
        "where the profile says the same, they are closed; where a key has one value and the profile another one, "
        "they wait for review. `general` stays.",
        parameters=[docs.query("facts", "What becomes of its facts, where it has some.", choices=["delete", "keep"])],
        responses=docs.answers(RemovedSerializer, 404, 409),
    )
    def delete(self, request: Request, slug: str) -> Response:
        params.only(request, "facts")
        done = spaces.remove_space(
            profile_id=self.caller.profile_id,
            slug=slug,
            facts_to=params.one_of(request, "facts", ("delete", "keep")),
        )
        return Response(RemovedSerializer({"facts": done}).data)
