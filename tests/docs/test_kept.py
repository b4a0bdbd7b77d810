"""docs/explanation/what-is-kept-and-who-can-see-it.md is the whole list."""

import re

from django.apps import apps

from tests.processes import ROOT

PAGE = (ROOT / "docs" / "explanation" / "what-is-kept-and-who-can-see-it.md").read_text()
# Django's own, which hold nothing of anybody.
NOBODYS = {"auth_group", "auth_permission", "django_content_type", "auth_group_permissions"}
NOBODYS |= {"auth_user_groups", "auth_user_user_permissions", "django_admin_log"}


def test_every_table_is_in_it():
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)} - NOBODYS
    named = {name for line in PAGE.splitlines() if line.startswith("|") for name in re.findall(r"`([a-z_]+)`", line)}
    assert tables - named == set()
    assert {name for name in named if "_" in name and not name.startswith("caesar")} - tables == set()
