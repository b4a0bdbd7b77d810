"""Registers the project, and its own admin site in place of Django's."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class CaesarConfig(AppConfig):
    name = "caesar"


class CaesarAdminConfig(AdminConfig):
    default_site = "caesar.admin.site.ScopedAdminSite"
