"""Which files a path means: itself, or every file below a folder, in the order of their names."""

import os
from collections.abc import Iterator
from pathlib import Path

from groundtrace_adapters.transcripts.files import TranscriptFile, file_at


def files_at(path: Path, /) -> Iterator[TranscriptFile]:
    """Yield a file, or the files of a folder and its folders; hidden ones and links to folders are left out.

    May raise OSError.
    """
    if not path.is_dir():
        yield file_at(path)
        return
    for folder, folders, names in os.walk(path, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            place = Path(folder) / name
            if not name.startswith(".") and place.is_file():
                yield file_at(place)


def _refuse(fault: OSError) -> None:
    raise fault
