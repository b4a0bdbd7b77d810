"""The keys of facts: which are in use, what else they are called, and which are perhaps one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import key_merges, key_selectors, keys
from memory.domain.near_keys import Why
from memory.key_selectors import Proposed, Used


class KeySerializer(serializers.Serializer[Used]):
    """A key with its facts."""

    key = serializers.CharField()
    facts = serializers.IntegerField(help_text="How many hold now.")
    waiting = serializers.IntegerField(help_text="How many wait for review.")
    values = serializers.ListField(
        child=serializers.CharField(), help_text=f"Of those that hold, the last {key_selectors.MOST_VALUES}."
    )
    aliases = serializers.ListField(child=serializers.CharField(), help_text="Spellings that are read as this key.")
    last_said_at = serializers.DateTimeField(allow_null=True)


class KeyPair(serializers.Serializer[Any]):
    """A spelling, and the key that it is to be read as."""

    alias = serializers.CharField(max_length=1000)
    key = serializers.CharField(max_length=1000)


class AddedSerializer(serializers.Serializer[Any]):
    alias = serializers.CharField(help_text="In its normal form.")
    key = serializers.CharField()
    moved = serializers.IntegerField(help_text="Facts of that spelling, history too, that are under the key now.")


class MergeSerializer(serializers.Serializer[Proposed]):
    """Two keys that are perhaps one."""

    alias = KeySerializer(help_text="What would be read as the other.")
    key = KeySerializer()
    why = serializers.ChoiceField(choices=[why.value for why in Why], source="merge.why")


class KeyList(MemoryView):
    @extend_schema(
        operation_id="listKeys",
        summary="List the keys in use",
        description=f"Those used last first, at most {key_selectors.MOST}, on one page.",
        parameters=[docs.query("q", "Only keys with this text in the key or an alias.")],
        responses=docs.answers(docs.page_of(KeySerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, "q")
        with self.scope():
            found = key_selectors.in_use(profile_id=self.caller.profile_id, q=params.text(request, "q"))
        return Response({"next": None, "previous": None, "results": self.many(found, KeySerializer)})

    @extend_schema(
        operation_id="addKeyAlias",
        summary="Read one spelling of a key as another",
        description="From now on, and for the facts that are there: where both have one that holds, the last word "
        "stays, unless what you wrote yourself stands against it.",
        request=KeyPair,
        responses=docs.answers(AddedSerializer, 409, status=201),
    )
    def post(self, request: Request) -> Response:
        added = keys.add_alias(profile_id=self.caller.profile_id, fields=self.sent)
        return Response(AddedSerializer(added).data, status=201)


class KeyAliasDetail(MemoryView):
    @extend_schema(
        operation_id="removeKeyAlias",
        summary="Read a spelling as itself again",
        description="Facts stay where they are.",
        responses=docs.answers(None, 404, status=204),
    )
    def delete(self, request: Request, alias: str) -> Response:
        params.only(request)
        keys.remove_alias(profile_id=self.caller.profile_id, alias=alias)
        return Response(status=204)


class MergeList(MemoryView):
    @extend_schema(
        operation_id="listKeyMerges",
        summary="Keys that are perhaps one",
        description="By their form or their meaning, and never about different people or things. Nothing is merged"
        " until you say so.",
        responses=docs.answers(docs.page_of(MergeSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request)
        found = key_merges.proposed(profile_id=self.caller.profile_id)
        return Response({"next": None, "previous": None, "results": self.many(found, MergeSerializer)})


class MergeAccept(MemoryView):
    @extend_schema(
        operation_id="acceptKeyMerge",
        summary="They are one key",
        request=KeyPair,
        responses=docs.answers(AddedSerializer, 409, status=200),
    )
    def post(self, request: Request) -> Response:
        return Response(AddedSerializer(keys.add_alias(profile_id=self.caller.profile_id, fields=self.sent)).data)


class MergeDismiss(MemoryView):
    @extend_schema(
        operation_id="dismissKeyMerge",
        summary="They are two keys",
        description="They are not proposed as one again.",
        request=KeyPair,
        responses=docs.answers(None, 409, status=204),
    )
    def post(self, request: Request) -> Response:
        keys.dismiss(profile_id=self.caller.profile_id, fields=self.sent)
        return Response(status=204)
