"""The conformance kit: the suites that our own adapters pass, for adapters of yours (extra `conformance`).

A module a port; import its suite, subclass it under a name that begins with `Test`, and give it one fixture.
"""

import pytest

_ASSERTING = """
    evaluations keeping knowledge_source language_model log_source metric_source
    row_fates row_order row_summaries row_texts session_lists sink_bad_days
    sink_rows store_lives tool_classifier upkeep_pages upkeep_pruning whole_store
""".split()

# So that a failing test of a suite tells both sides, as one of your own does.
pytest.register_assert_rewrite(*(f"{__name__}.{module}" for module in _ASSERTING))
