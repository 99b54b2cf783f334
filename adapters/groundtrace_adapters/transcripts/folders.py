"""Which files a path means: itself, or every file below a folder, in the order of their names."""

import os
from collections.abc import Iterator
from pathlib import Path

from groundtrace_adapters.transcripts.archives import files_in, is_archive
from groundtrace_adapters.transcripts.files import TranscriptFile, file_at, unreadable

PIPE = "it is a pipe or device; send what it gives to standard input and write -"


def files_at(path: Path, /) -> Iterator[TranscriptFile]:
    """Yield a file, the files of an archive, or those of a folder and its folders.

    Hidden ones and links to folders are left out; what cannot be listed is a file that cannot be opened.
    """
    if not path.is_dir():
        yield from _in_file(path)
        return
    broken: list[OSError] = []
    for folder, folders, names in os.walk(path, onerror=broken.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            place = Path(folder) / name
            if not name.startswith(".") and place.is_file():
                yield from _in_file(place)
    for fault in broken:
        yield unreadable(str(fault.filename), fault)


def _in_file(place: Path) -> Iterator[TranscriptFile]:
    if not place.is_file() and place.exists():
        yield unreadable(str(place), OSError(None, PIPE))
    elif is_archive(place):
        yield from files_in(place)
    else:
        yield file_at(place)
