"""The only writer of facts. Every change is made with its audit row in one transaction."""

from memory.facts.applying import Told, apply
from memory.facts.editing import EDITABLE, author, delete, edit
from memory.facts.locking import lock, mark_used

__all__ = ["EDITABLE", "Told", "apply", "author", "delete", "edit", "lock", "mark_used"]
