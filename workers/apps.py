"""Registers the room with Django."""

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    name = "workers"
