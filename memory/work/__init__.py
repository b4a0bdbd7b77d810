"""The only writer of work items after they are made: claims, leases, outcomes, retries, dead letters."""

from memory.work.again import drop_raw_replies, reopen, retry_dead, retry_item
from memory.work.claiming import claim, due, give_back, release_expired, renew
from memory.work.closing import cancel, check, close, hold, put_back, withdraw
from memory.work.failing import fail, kind_of
from memory.work.items import FIRST, LEASE_SECONDS, RENEW_EVERY_SECONDS, Claim, Costs, Item, Report
from memory.work.restoring import Ended, restore

__all__ = [
    "FIRST",
    "LEASE_SECONDS",
    "RENEW_EVERY_SECONDS",
    "Claim",
    "Costs",
    "Ended",
    "Item",
    "Report",
    "cancel",
    "check",
    "claim",
    "close",
    "drop_raw_replies",
    "due",
    "fail",
    "give_back",
    "hold",
    "kind_of",
    "put_back",
    "release_expired",
    "renew",
    "reopen",
    "restore",
    "retry_dead",
    "retry_item",
    "withdraw",
]
