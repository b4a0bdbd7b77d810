"""Registers the room with Django."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    name = "dashboard"
