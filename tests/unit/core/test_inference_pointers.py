"""Answers that only say where the data is: a partial Success at most, and never DIRECT."""

import pytest

from groundtrace import outcomes
from groundtrace.inference import infer
from groundtrace.inference.pointers import ONLY_A_PATH, ONLY_THE_QUERY
from groundtrace.outcomes import Support
from groundtrace.transcripts.events import Returned

ELSEWHERE: tuple[tuple[str, dict[str, str], str], ...] = (
    ("Bash", {"command": "x"}, "<persisted-output>\nOutput too large (3 MB). Full output saved to: /tmp/t/7.txt\n"),
    ("query_metrics", {"q": "cpu"}, "Metrics exported to /tmp/metrics/cpu_2026.csv"),
    ("get_traces", {"service": "x"}, "/var/tmp/traces/abc.json"),
    ("download_report", {"id": "3"}, "s3://bucket/reports/3.parquet"),
    ("query_logs", {"q": "x"}, "Results saved to: ./out/logs.txt"),
    ("query_range", {"q": "x"}, '{"status":"success","query":"rate(http[5m])","start":"1","end":"2","step":60}'),
    ("get_logs", {"q": "x"}, '{"file": "/tmp/out/logs.json"}'),
    ("get_logs", {"q": "x"}, '{"status": "success", "path": "/tmp/out/logs.json", "message": "saved"}'),
    ("fetch_metrics", {"q": "x"}, "Output too large (2.1 MB). Full output saved to: /tmp/tool-results/abc.txt"),
    ("export_traces", {"q": "x"}, 'Data has been written to the file "/srv/data/t.csv".'),
    ("run_query", {"q": "x"}, '{"query_execution_id": "6f1e", "status": "RUNNING"}'),
    ("get_metrics", {"q": "x"}, "Saved metrics data to directory: metrics_output/2026_01_02"),
    ("take_metrics", {}, "Output written to /tmp/out.csv"),
    ("get_traces", {}, "Traces exported to ./traces/2026.json"),
    ("get_metrics", {}, '{"file_path":"/data/m.csv","rows":120}'),
    ("run_query", {}, "Query results have been saved to /tmp/r.parquet (12 MB)"),
    ("search_logs", {}, "The output is too long and was saved to file:///tmp/x.log"),
    ("profile", {}, "https://s3.example/profiles/1.pb.gz"),
    ("start_export", {}, '{"job_id":"j-1","status":"queued"}'),
    ("screenshot_metrics", {}, "/tmp/shot/m.png"),
    ("dump_logs", {}, "Logs dumped to /var/tmp/l.txt"),
    ("fetch_report", {}, '{"url":"https://r.example/1.pdf","expires_at":"x"}'),
    ("query_big", {}, "Result is too large to display; it has been saved to /tmp/big.json."),
)


@pytest.mark.parametrize(("tool", "arguments", "output"), ELSEWHERE)
def test_a_place_of_the_data_is_marked_and_never_direct(tool: str, arguments: dict[str, str], output: str) -> None:
    seen = infer(Returned(place="", call_id=None, output=output), tool_name=tool, arguments=arguments)
    assert isinstance(seen, outcomes.Success | outcomes.NoEvidence)
    assert {ONLY_A_PATH, ONLY_THE_QUERY} & set(seen.partial)
    assert isinstance(seen, outcomes.NoEvidence) or seen.support is Support.INDIRECT
