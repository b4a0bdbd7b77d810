"""Registers the project, and its own admin site in place of Django's."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class CaesarConfig(AppConfig):
    name = "caesar"

    def ready(self) -> None:
        # Not found by the admin itself: its site is made while `caesar.admin` is being imported.
        import caesar.admin.registered
        import caesar.checks  # noqa: F401


class CaesarAdminConfig(AdminConfig):
    default_site = "caesar.admin.site.ScopedAdminSite"
