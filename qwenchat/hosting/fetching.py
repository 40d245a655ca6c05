"""Starting a download: judged first, so that nothing large is fetched in vain."""

from __future__ import annotations

import asyncio

from qwenchat.errors import DiskFull, InvalidRequest, UnsupportedModel
from qwenchat.hosting.checking import Checked, Checker
from qwenchat.hosting.installed import find_by_id
from qwenchat.hosting.machine import is_offline
from qwenchat.models.catalog import Model, Variant, catalogue
from qwenchat.models.download_state import Download
from qwenchat.models.downloads import Downloads
from qwenchat.models.fit import disk_shortage
from qwenchat.models.installed_model import InstalledModel
from qwenchat.models.offer import refusal
from qwenchat.models.offline import not_here
from qwenchat.models.reference import (
    DemoModel,
    HubModel,
    ModelFolder,
    ModelReference,
    resolve_model,
)
from qwenchat.settings import Settings

SAME_SIZE = 0.05
"""The hub's list and a row of the catalogue may differ by this share of the row's size: the
row counts tensors, the hub files."""


async def start_download(
    downloads: Downloads, checker: Checker, settings: Settings, value: str, *, check: bool
) -> Download:
    """Download the model a person named, or go on with it.

    Args:
        check: Read every file of a model that is here, and fetch those that differ.

    Raises:
        ModelNotFound: ``value`` is no model id, or the hub has no such model.
        InvalidRequest: It is the demo model or a folder, which no hub has.
        UnsupportedModel: It does not run here; the message names the nearest that does.
        DiskFull: The disk has no room for it.
        DownloadFailed: The hub does not answer, or the network is to be left alone.
    """
    model_id = _hub_id(await asyncio.to_thread(resolve_model, value))
    running = downloads.get(model_id)
    if running is not None and running.active:
        return running
    here = find_by_id(await checker.here(), model_id)
    note = ""
    if not (_was_judged(running) or _is_here(here, check)):
        if is_offline(settings):
            raise not_here(model_id)
        note = await _require_sense(checker, model_id)
    return downloads.start(model_id, check=check, note=note)


def _hub_id(reference: ModelReference) -> str:
    match reference:
        case DemoModel():
            raise InvalidRequest(
                "The demo model comes with QwenChat, so there is nothing to download. Choose it; "
                "where it is damaged, delete it first, and it is made anew.",
                param="model",
            )
        case ModelFolder(path=path):
            raise InvalidRequest(
                f"{path} names a folder on this machine, and only models of the hub can be "
                "downloaded. Give an id with an owner and a name.",
                param="model",
            )
        case HubModel(model_id=model_id):
            # The hub minds capital letters; people do not.
            known = catalogue().find(model_id)
            return known[1].id if known else model_id


def _was_judged(download: Download | None) -> bool:
    """Whether it was let through before, so that it can go on without asking the hub again."""
    return download is not None and bool(download.files) and download.state != "cancelled"


def _is_here(model: InstalledModel | None, check: bool) -> bool:
    if model is None:
        return False
    return model.place == "data folder" if check else model.problem is None


async def _require_sense(checker: Checker, model_id: str) -> str:
    """Refuse what is no use here; returns what is to be said of the rest."""
    machine = await checker.machine()
    known = catalogue().find(model_id)
    if known and known[0].verified:
        model, variant = known
        if reason := refusal(variant, machine.cpu_flags):
            raise _unsupported(model_id, reason, model.id)
        size = model.weights_bytes(variant)
        if problem := disk_shortage(model_id, size, machine.disk_bytes):
            raise DiskFull(problem)
        return ""
    checked = await checker.check_id(model_id, machine)
    if not checked.supported:
        raise _unsupported(model_id, checked.reason, checked.nearest)
    note = _compare(checked, *known) if known else ""
    if checked.disk_problem:
        raise DiskFull(checked.disk_problem)
    return note


def _compare(checked: Checked, model: Model, variant: Variant) -> str:
    """A note where the hub's size is not that of the catalogue's row.

    Raises:
        UnsupportedModel: And with the hub's size it does not fit into memory.
    """
    expected, listed = model.weights_bytes(variant), checked.weights_bytes
    if listed is None or abs(listed - expected) <= SAME_SIZE * expected:
        return ""
    numbers = (
        f"The hub lists {_size(listed)} of weights for {variant.id}, and QwenChat's list of "
        f"models says {_size(expected)}."
    )
    if listed > expected and checked.fit and checked.fit.answer == "does_not_fit":
        raise UnsupportedModel(f"{numbers} So large, it does not fit: {checked.fit.message}")
    return f"{numbers} The hub's number counts."


def _unsupported(model_id: str, reason: str, nearest: str | None) -> UnsupportedModel:
    instead = f" The nearest that runs is {nearest}." if nearest else ""
    return UnsupportedModel(f"{model_id} does not run here. {reason}{instead}", param="model")


def _size(size: int) -> str:
    return f"{size / 1e9:.2f} GB" if size >= 10_000_000 else f"{size:,} bytes"
