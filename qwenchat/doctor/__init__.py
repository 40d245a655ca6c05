"""Why QwenChat does not run here, or how well it will: every check says what to do."""

from qwenchat.doctor.checkup import report
from qwenchat.doctor.outcome import Check, Report, Status

__all__ = ["Check", "Report", "Status", "report"]
