"""Where the parts of a local engine come together: the choice of a model, and the process."""

from __future__ import annotations

from qwenchat.engine.client import EngineClient
from qwenchat.engine.plan import Plan
from qwenchat.hosting.choice import Choice, first_choice
from qwenchat.hosting.hosting import Hosting, host
from qwenchat.hosting.preparing import Preparer, shown_name
from qwenchat.models.reference import ModelFolder
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.settings import Settings


def build_hosting(settings: Settings) -> Hosting:
    """The engine and its models: that of the settings, else the one chosen last. Not started.

    Raises:
        ModelError: ``settings.model`` names neither a model id nor the folder of a model
            that can be loaded.
    """
    choice, fallback = first_choice(settings)
    preparer = Preparer.of(settings)
    reference = choice.reference
    if settings.model and isinstance(reference, ModelFolder):
        # Whoever names a folder that is no model is told at once, not after a start.
        inspect_snapshot(reference.path)

    def plan(choice: Choice) -> Plan:
        # Only what the settings name is downloaded unasked; what was chosen on the page was
        # here, and whoever deleted it did not mean to have it again.
        return Plan(shown_name(choice), preparer.prepare(choice, fetch=bool(settings.model)))

    first = plan(choice)
    engine = EngineClient(first.prepare, first.model, plan(fallback) if fallback else None)
    return host(settings, engine, preparer=preparer, choice=choice, fallback=fallback)
