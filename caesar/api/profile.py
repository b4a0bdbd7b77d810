"""The settings of the person's memory."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import erase, profiles, sensitive
from memory.models import Approval, Profile


class ProfileChanges(serializers.Serializer[Any]):
    """What can be changed."""

    memory_enabled = serializers.BooleanField(required=False, help_text="Is anything remembered and recalled?")
    summaries_enabled = serializers.BooleanField(required=False, help_text="Are conversations summarised?")
    approval = serializers.ChoiceField(
        choices=[a.value for a in Approval], required=False, help_text="Who accepts what was learned."
    )
    timezone = serializers.CharField(required=False, help_text="Such as Europe/Tallinn.")
    language = serializers.CharField(required=False, help_text="Such as en, fi or pt-BR.")
    sensitive_policy = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="never, review or allow for health and sensitive_personal; what is not named is never kept.",
    )


class ProfileSerializer(serializers.Serializer[Profile]):
    name = serializers.CharField()
    is_default = serializers.BooleanField()
    memory_enabled = serializers.BooleanField()
    summaries_enabled = serializers.BooleanField()
    approval = serializers.ChoiceField(choices=[a.value for a in Approval])
    timezone = serializers.CharField()
    language = serializers.CharField()
    sensitive_policy = serializers.SerializerMethodField(help_text="How each sensitive class is handled.")
    created_at = serializers.DateTimeField()

    def get_sensitive_policy(self, profile: Profile) -> dict[str, str]:
        return sensitive.policy_of(profile).as_dict()


class ErasedSerializer(serializers.Serializer[Any]):
    erased = serializers.DictField(child=serializers.IntegerField(), help_text="How many rows of which table went.")


class ProfileDetail(MemoryView):
    while_erasing = ("DELETE",)

    @extend_schema(operation_id="readProfile", summary="Read the settings", responses=docs.answers(ProfileSerializer))
    def get(self, request: Request) -> Response:
        params.only(request)
        return Response(ProfileSerializer(self.caller.profile).data)

    @extend_schema(
        operation_id="changeProfile",
        summary="Change the settings",
        description="What was said while memory was off is never learned from, also not later.",
        request=ProfileChanges,
        responses=docs.answers(ProfileSerializer),
    )
    def patch(self, request: Request) -> Response:
        profile = profiles.update(profile_id=self.caller.profile_id, changes=self.sent)
        return Response(ProfileSerializer(profile).data)

    @extend_schema(
        operation_id="eraseProfile",
        summary="Erase the person",
        description='Send {"confirm": NAME} as the body, with the name of the profile, to say that it is meant. '
        "Everything goes, everywhere, at once and for good: facts and their history, conversations, what waits "
        "to be read, the log, keys that are bound to this profile, and the profile itself. While it goes on, chats are "
        "refused. Broken off, it goes on where it stopped when it is asked for again. The name, or the default, is "
        "free afterwards: whoever uses it next starts anew, with the consent that new profiles have.",
        responses=docs.answers(ErasedSerializer),
    )
    def delete(self, request: Request) -> Response:
        params.only(request)
        erased = erase.confirmed(profile=self.caller.profile, fields=self.sent)
        return Response(ErasedSerializer({"erased": erased}).data)
