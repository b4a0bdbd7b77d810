"""Registers the login's table with Django."""

from django.apps import AppConfig


class LoginConfig(AppConfig):
    name = "caesar.login"
    label = "login"
