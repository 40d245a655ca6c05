"""Whether the engine process starts with what makes it fast, and with nothing that harms."""

from __future__ import annotations

from qwenchat.doctor.outcome import Check, ok, warning
from qwenchat.doctor.runtime import Runtime


def check_runtime(runtime: Runtime) -> list[Check]:
    """Every check of what surrounds the engine process."""
    return [openmp(runtime), allocator(runtime), variables(runtime)]


def openmp(runtime: Runtime) -> Check:
    """Which OpenMP runtime computes, and whether all preloads load."""
    name = "openmp"
    if runtime.refused:
        return warning(
            name,
            "a library cannot be preloaded",
            "Unset LD_PRELOAD if you have set it; otherwise install the pinned requirements again.",
            runtime.refused,
        )
    if runtime.openmp:
        return ok(name, f"Intel's runtime is preloaded ({runtime.openmp.name})")
    if runtime.architecture_has_iomp:
        return warning(
            name,
            "GNU's runtime: slower when other programs are busy too",
            f"pip install --no-deps intel-openmp=={runtime.openmp_pin}",
        )
    return ok(name, "GNU's runtime, threads wait without spinning")


def allocator(runtime: Runtime) -> Check:
    """Which memory allocator serves it; tcmalloc brought nothing measurable on two cores."""
    if runtime.allocator:
        return ok("allocator", f"tcmalloc is preloaded ({runtime.allocator.name})")
    if runtime.own_preloads:
        return ok("allocator", f"from LD_PRELOAD: {runtime.own_preloads}")
    return ok("allocator", "the system's; tcmalloc is used where it is installed")


def variables(runtime: Runtime) -> Check:
    """Variables that tutorials set."""
    name = "environment"
    if runtime.useless:
        return warning(
            name,
            f"{', '.join(runtime.useless)}: no effect in this vLLM",
            "Unset it; docs/cpu-guide.md says what takes its place.",
        )
    if runtime.overruled:
        return ok(name, "QwenChat plans these itself and ignores: " + ", ".join(runtime.overruled))
    return ok(name, "no variable of a tutorial in the way")
