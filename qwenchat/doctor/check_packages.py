"""Whether what is installed fits together and can be imported."""

from __future__ import annotations

from collections.abc import Mapping

from qwenchat.doctor.importing import Imported
from qwenchat.doctor.outcome import Check, ok, problem, warning
from qwenchat.doctor.packages import Package, Packages

REINSTALL = "Install the pinned requirements again: make clean, make run (README, set-up)."
FRESH = (
    "Install the pinned requirements in a fresh environment: make clean, make run (README, set-up)."
)
SHOWN = 8
"""Names that are listed before it is too long to read."""


def check_packages(packages: Packages, imported: Mapping[str, Imported]) -> list[Check]:
    """Every check of the packages."""
    named = [check_named(package, imported.get(package.name)) for package in packages.named]
    return [*named, *check_media(packages, imported), check_rest(packages)]


def check_named(package: Package, imported: Imported | None) -> Check:
    """One of those QwenChat stands on.

    Args:
        imported: How importing it went; None when that was not tried or it is not there.
    """
    name = package.name
    shown = package.version or package.build
    if package.folder is None:
        return problem(name, "not installed", REINSTALL)
    if package.foreign:
        return problem(
            name,
            f"another {name} hides the installed one",
            f"Move {package.folder} away, or take its folder out of PYTHONPATH.",
            f"Python would import {package.folder}"
            + (f" ({imported.error})" if imported and imported.error else ""),
        )
    if package.rivals:
        return problem(
            name,
            f"{package.distribution} and {', '.join(package.rivals)} are both installed",
            FRESH,
            "They bring the same files, and whichever came last has overwritten the other's.",
        )
    if package.cuda:
        return problem(
            name,
            f"{shown} is a CUDA build, and QwenChat needs the one for CPU",
            FRESH,
            f"Its files say {package.build}." if package.build else "",
        )
    if imported is not None and imported.error:
        return problem(name, f"{shown} cannot be imported", REINSTALL, imported.error)
    if not package.distribution:
        return problem(name, "pip does not know it", REINSTALL, f"It is in {package.folder}.")
    if package.pinned and package.version != package.pinned:
        return warning(
            name,
            f"{shown}; tested is {package.pinned}",
            f"If something fails: {REINSTALL[0].lower()}{REINSTALL[1:]}",
        )
    return ok(name, f"{shown} ({package.distribution})" if package.distribution != name else shown)


def check_media(packages: Packages, imported: Mapping[str, Imported]) -> list[Check]:
    """torchvision, torchaudio and torchcodec, which text chat does not need."""
    torch = next(package for package in packages.named if package.name == "torch")
    checks = []
    for package in packages.media:
        name, outcome = package.name, imported.get(package.name)
        remove = (
            f"Text chat does not need it, and the engine ignores a broken one: pip uninstall "
            f"{package.distribution or name}"
        )
        shown = package.build or package.version
        if package.cuda and not torch.cuda:
            said = outcome.error if outcome else ""
            shown += f", a CUDA build, does not fit torch {torch.version}"
            checks.append(warning(name, shown, remove, said))
        elif outcome and outcome.error:
            checks.append(warning(name, f"{shown} cannot be imported", remove, outcome.error))
        elif package.folder is None:
            checks.append(warning(name, f"{shown} is half removed", remove))
        else:
            checks.append(ok(name, shown))
    if not checks:
        names = "torchvision, torchaudio, torchcodec"
        checks.append(ok("media", f"{names}: not installed, not needed"))
    return checks


def check_rest(packages: Packages) -> Check:
    """All other pins together."""
    name = "packages"
    if not packages.pins:
        return warning(name, "requirements.txt is not there", "Restore it from git.")
    if packages.missing:
        return problem(
            name,
            f"{len(packages.missing)} of {packages.pins} pinned packages not installed",
            REINSTALL,
            _listed(packages.missing),
        )
    if packages.differing:
        return warning(
            name,
            f"{len(packages.differing)} of {packages.pins} are not of the pinned version",
            f"If something fails: {REINSTALL[0].lower()}{REINSTALL[1:]}",
            _listed(packages.differing),
        )
    return ok(name, f"all {packages.pins} pins of requirements.txt are installed")


def _listed(names: tuple[str, ...]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
