"""The only writer of facts. Every change is made with its audit row in one transaction."""

from memory.facts.answering import Bulk, approve_many, delete_many, reject_many
from memory.facts.applying import Told, apply
from memory.facts.checking import EDITABLE
from memory.facts.deleting import delete, remove, undelete, undo_time
from memory.facts.editing import author, edit
from memory.facts.ending import Ended, end
from memory.facts.expiring import expire
from memory.facts.locking import lock, mark_used
from memory.facts.moving import in_space, remove_all, widen
from memory.facts.purging import purge
from memory.facts.restoring import About, Restored, link, remember, restore
from memory.facts.reverting import revert
from memory.facts.reviewing import approve, refuse, reject

__all__ = [
    "EDITABLE",
    "About",
    "Bulk",
    "Ended",
    "Restored",
    "Told",
    "apply",
    "approve",
    "approve_many",
    "author",
    "delete",
    "delete_many",
    "edit",
    "end",
    "expire",
    "in_space",
    "link",
    "lock",
    "mark_used",
    "purge",
    "refuse",
    "reject",
    "reject_many",
    "remember",
    "remove",
    "remove_all",
    "restore",
    "revert",
    "undelete",
    "undo_time",
    "widen",
]
