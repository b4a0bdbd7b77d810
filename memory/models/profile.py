"""Whose memory it is, its contexts, and the keys that open it. Written by `memory.profiles` and `memory.apikeys`."""

from __future__ import annotations

from enum import StrEnum

from django.conf import settings
from django.db import models

from memory.models.fields import now_column, one_of, uuid_key

DEFAULT_SPACE = "general"


class Approval(StrEnum):
    """Who accepts facts: the extractor where nothing is doubtful, or always the person."""

    AUTO = "auto"
    REVIEW = "review"


class Profile(models.Model):
    """One person's memory.

    `memory_from_id` and `summaries_from_id`: rows of the audit log up to this one are not read for it any more,
    since its consent was withdrawn after them and then given anew. `erasing_at`: the person is being erased, and
    this is when it last got on; `erasing` holds by whom, and how many rows have gone.
    """

    id = uuid_key()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profiles")
    name = models.TextField()
    is_default = models.BooleanField(default=False)
    memory_enabled = models.BooleanField(default=False)
    summaries_enabled = models.BooleanField(default=False)
    memory_from_id = models.BigIntegerField(default=0, editable=False)
    summaries_from_id = models.BigIntegerField(default=0, editable=False)
    approval = models.TextField(default=Approval.AUTO.value)
    timezone = models.TextField(default="UTC")
    language = models.TextField(default="", blank=True)
    sensitive_policy = models.JSONField(default=dict, blank=True)
    last_said_at = models.DateTimeField(null=True, editable=False)
    erasing_at = models.DateTimeField(null=True, editable=False)
    erasing = models.JSONField(default=dict, editable=False)
    created_at = now_column()

    class Meta:
        db_table = "profiles"
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="profile_name_once"),
            models.UniqueConstraint(fields=["user"], condition=models.Q(is_default=True), name="profile_one_default"),
            one_of("approval", Approval, "profile_approval"),
        ]

    def __str__(self) -> str:
        return self.name


class Space(models.Model):
    """A context inside a profile, such as work or home. What was agreed to counts as in the profile.

    One that was removed stays as a row, for the log and the conversations that name it; nothing finds it any more.
    """

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="spaces")
    slug = models.TextField()
    name = models.TextField(default="", blank=True)
    memory_enabled = models.BooleanField(default=True)
    summaries_enabled = models.BooleanField(default=True)
    memory_from_id = models.BigIntegerField(default=0, editable=False)
    summaries_from_id = models.BigIntegerField(default=0, editable=False)
    created_at = now_column()
    removed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "spaces"
        constraints = [
            models.UniqueConstraint(
                fields=["profile", "slug"], condition=models.Q(removed_at__isnull=True), name="space_slug_once"
            )
        ]

    def __str__(self) -> str:
        return self.slug


class ApiKey(models.Model):
    """A key of a user: bound to one profile, or (an app's key) free to name any profile of that user."""

    id = uuid_key()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_keys")
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, null=True, blank=True)
    name = models.TextField()
    hint = models.TextField(editable=False)
    digest = models.BinaryField(unique=True, editable=False)
    created_at = now_column()
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "api_keys"
        verbose_name = "API key"
        verbose_name_plural = "API keys"

    def __str__(self) -> str:
        return self.name
