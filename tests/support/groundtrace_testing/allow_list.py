"""A contract for import-linter: a package imports itself and what is listed, and nothing else.

import-linter ships lists of what is forbidden; a new I/O module would pass such a list unseen.
"""

from __future__ import annotations

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from typing_extensions import override


class AllowListContract(Contract):
    """`source` imports only itself and the first names of `allowed`; whoever breaks it is printed, line by line."""

    type_name = "allow_list"

    # A field gives another type than it says: the library reads it from the contract's options.
    source: Any = fields.ModuleField()
    allowed: Any = fields.SetField(subfield=fields.StringField())

    @override
    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        source: str = self.source.name
        roots = {source} | {name.partition(".")[0] for name in self.allowed}
        strangers = [
            f"{importer} imports {imported}"
            for importer in sorted({source} | graph.find_descendants(source))
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if imported.partition(".")[0] not in roots
        ]
        return ContractCheck(kept=not strangers, metadata={"strangers": strangers})

    @override
    def render_broken_contract(self, check: ContractCheck) -> None:
        for stranger in check.metadata["strangers"]:
            output.print_error(f"{stranger}, which is not on the allow-list in pyproject.toml", bold=False)
