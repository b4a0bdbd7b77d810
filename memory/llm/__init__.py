"""Reaches language models. The only room that imports litellm, and only when a call is made."""
