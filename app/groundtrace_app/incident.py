"""Finds the recorded incident that `groundtrace demo` walks through; reads nothing of it."""

from pathlib import Path


def incident_folder() -> Path:
    """The folder of the incident: inside the installed package, else `examples/incident` of the clone.

    A wheel carries a copy without the scripts that recorded it; an editable install reads the clone itself.
    """
    packaged = Path(__file__).with_name("example_incident")
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "examples" / "incident"
