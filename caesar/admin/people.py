"""Accounts, profiles, spaces and keys."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest

from caesar.admin.base import WHOSE, KnownRows, Owned, ProfileFilter, VerbTable, choice_filter, listing
from caesar.admin.site import afterwards
from memory import apikeys, profiles, spaces
from memory.models import ApiKey, Approval, Fact, Profile, Space


class AccountAdmin(KnownRows, UserAdmin):
    """Accounts are closed (not active), not deleted: a person's memory hangs on them."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


admin.site.unregister(Group)  # nobody's rights hang on a group here
admin.site.unregister(User)
admin.site.register(User, AccountAdmin)


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    approval = forms.ChoiceField(choices=[(a.value, a.value) for a in Approval])
    timezone = forms.CharField()
    language = forms.CharField(required=False)

    class Meta:
        model = Profile
        fields = profiles.EDITABLE


@admin.register(Profile)
class ProfileAdmin(VerbTable):
    form = ProfileForm
    list_display = (
        "name",
        "user",
        "is_default",
        "memory_enabled",
        "summaries_enabled",
        "approval",
        "created_at",
        "facts",
    )
    list_select_related = ("user",)
    list_filter = ("memory_enabled", "summaries_enabled", choice_filter("approval", Approval))
    search_fields = ("=id", "name", "user__username")

    @admin.display(description="facts")
    def facts(self, row: Profile) -> str:
        return listing(Fact, "its facts", whose=row.pk)

    def save_model(self, request: HttpRequest, obj: Profile, form: Any, change: bool) -> None:
        changes = {name: form.cleaned_data[name] for name in form.changed_data}
        afterwards(request, partial(profiles.update, profile_id=obj.pk, changes=changes, actor="operator"))


class SpaceForm(forms.ModelForm):  # type: ignore[type-arg]
    name = forms.CharField()

    class Meta:
        model = Space
        fields = spaces.EDITABLE


@admin.register(Space)
class SpaceAdmin(Owned, VerbTable):
    form = SpaceForm
    list_display = ("slug", "name", "whose", "memory_enabled", "summaries_enabled")
    list_filter = ("memory_enabled", "summaries_enabled", ProfileFilter)
    search_fields = ("=id", "slug", "name", *WHOSE)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(removed_at__isnull=True)

    def save_model(self, request: HttpRequest, obj: Space, form: Any, change: bool) -> None:
        changes = {name: form.cleaned_data[name] for name in form.changed_data}
        afterwards(
            request,
            partial(spaces.update_space, profile_id=obj.profile_id, slug=obj.slug, changes=changes, actor="operator"),
        )


@admin.register(ApiKey)
class ApiKeyAdmin(Owned):
    """Keys are made with `manage.py apikey create`, which shows the secret once."""

    hidden = ("digest",)
    list_display = ("name", "hint", "user", "whose", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("user", "profile")
    list_filter = ("user", ProfileFilter)
    search_fields = ("=id", "name", "hint", "user__username")
    actions = ("revoke",)

    @admin.action(permissions=["operate"], description="Revoke: from now on these keys open nothing")
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for user_id, key_id in queryset.values_list("user_id", "id"):
            afterwards(request, partial(apikeys.revoke, user_id=user_id, key_id=key_id))
