"""Answers that tell of errors, of zeros and of faults that were looked for: each of them a Success."""

import pytest

from groundtrace import outcomes
from groundtrace.inference import infer
from groundtrace.inference.pointers import ONLY_A_PATH
from groundtrace.outcomes import Support
from groundtrace.transcripts.events import Returned

FOUND: tuple[tuple[str, dict[str, str], str], ...] = (
    ("fetch_logs", {"service": "api"}, "Error: timeout of 3000ms exceeded"),
    ("bash", {"command": 'psql -c "select count(*) from orders"'}, " count \n-------\n     0\n(1 row)\n"),
    ("run_sql", {"query": "select count(*) from t"}, '{"columns": ["count"], "rows": [[0]], "row_count": 1}'),
    ("run_sql", {"query": "select count(*) from t"}, "0"),
    ("bash", {"command": "redis-cli ping"}, "PONG"),
    ("bash", {"command": 'find /etc -name "*.conf"'}, "/etc/host.conf\n/etc/nsswitch.conf\n"),
    ("bash", {"command": "which python3"}, "/usr/bin/python3"),
    ("bash", {"command": "pwd"}, "/home/app/project"),
    ("bash", {"command": "curl -s http://shop/health"}, '{"status":"ok"}'),
    ("bash", {"command": "curl -s http://shop/health"}, '{"status":"degraded","checks":{"db":"error: timeout"}}'),
    ("bash", {"command": 'grep -rn "ERROR" app.log'}, "12:ERROR: could not open connection\n99:ERROR: giving up"),
    ("bash", {"command": "git status"}, "On branch main\nnothing to commit, working tree clean"),
    ("bash", {"command": "git diff --stat"}, " a.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)"),
    ("call_api", {}, '{"ok":true,"messages":[{"text":"Error: deploy failed"}]}'),
    ("count_users", {}, '{"count":0}'),
    ("list_users", {}, '{"data":[{"id":1,"name":"a","errors":[]}],"meta":{"total":1}}'),
    ("get_status", {}, '{"errors":0,"warnings":0,"checked":12}'),
    ("get_job", {}, '{"state":"FAILED","exitCode":137,"name":"nightly"}'),
    ("write_file", {"path": "/tmp/a"}, "File written to /tmp/a"),
    ("glob", {"pattern": "**/*.py"}, "/app/src/main.py"),
    ("find_config", {"name": "x"}, "/etc/x/config.yaml"),
    ("get_download_url", {"id": "1"}, "https://files.example/1.zip"),
    ("get_faq", {}, "Q: Why was my payment declined?\nA: The bank refused it."),
    ("cancel_order", {"order_id": "W1"}, "Order W1 was cancelled"),
    ("get_balance", {}, "0.00"),
    ("is_open", {}, "false"),
    ("is_open", {}, "False"),
    ("calculator", {}, "NaN is not a number of apples"),
    ("check_health", {}, "All checks passed, no errors found."),
    ("run_lint", {}, "No issues found"),
    ("run_tests", {}, "3 failed, 10 passed in 2.1s"),
    ("run_tests", {}, "FAILED tests/test_a.py::test_x - AssertionError: assert 1 == 2\n1 failed in 0.1s"),
    ("scan_ports", {}, "22/tcp open ssh\n80/tcp closed http"),
    ("mcp_call", {}, '{"jsonrpc":"2.0","id":1,"result":{"temp":4}}'),
    ("get_pod_status", {"pod": "api-0"}, "CrashLoopBackOff"),
    ("get_pod_status", {"pod": "api-0"}, "Failed"),
    ("get_pod_status", {"pod": "api-0"}, "Error"),
    ("describe_pod", {"pod": "api-0"}, "Last State: Terminated\n  Reason: Error\n  Exit Code: 1"),
    ("query_logs", {"service": "api"}, "2026-01-02T10:00:00Z ERROR Failed to connect to redis: connection refused"),
    ("query_logs", {"service": "api"}, "[ERROR] Failed to connect to redis: connection refused"),
    ("tail_log", {"n": "1"}, "panic: runtime error: invalid memory address"),
    ("get_traces", {"id": "1"}, "Error: span root not received, 3 of 4 spans shown: api 12ms, db 4ms, cache 1ms"),
    ("read_file", {"path": "src/app.py"}, 'raise ValueError("file not found")'),
    ("read_file", {"path": "src/errors.txt"}, "Error: 404 Not Found\nError: 500 Internal Server Error\n"),
    ("execute_bash", {"command": "wc -l a.log"}, "0 a.log"),
    ("execute_bash", {"command": "echo done"}, "done"),
    ("execute_bash", {"command": "curl -sI http://shop"}, "HTTP/1.1 503 Service Unavailable\nServer: nginx\nDate: x"),
    ("execute_bash", {"command": 'curl -s -o /dev/null -w "%{http_code}" http://shop'}, "503"),
    ("execute_bash", {"command": "systemctl is-active nginx"}, "failed"),
    ("execute_bash", {"command": "file /bin/ls"}, "/bin/ls: ELF 64-bit LSB pie executable"),
    ("execute_bash", {"command": "make all"}, "make: Nothing to be done for 'all'."),
    ("get_weather", {"city": "Oslo"}, '{"temp": -3, "wind": 0, "alerts": []}'),
    ("get_user", {"id": "1"}, '{"id": 1, "name": "Ada", "roles": [], "deleted_at": null}'),
    ("get_cart", {}, '{"items": [{"sku": "x", "qty": 0}], "total": 0, "errors": []}'),
    ("get_flags", {}, '{"dark_mode": false, "beta": false}'),
    ("get_metric", {}, '{"value": 0}'),
    ("get_metric", {}, '{"error_rate": 0.0, "errors": 0, "total": 1200}'),
    ("get_error_budget", {}, '{"status":"exhausted","remaining":-0.2}'),
    ("list_incidents", {}, '[{"title":"API error: timeout","state":"open"}]'),
    ("translate", {"text": "error"}, "Fehler"),
    ("get_page_title", {"url": "x"}, "404 Gallery - Art of the Lost Page"),
    ("lookup_error_code", {"code": "E1201"}, "E1201: Paper jam. Open tray 2 and remove the sheet."),
    ("sensor_read", {}, "temperature: 0"),
    ("get_reviews", {}, "Not found a better place for pizza! 5 stars"),
    ("check_stock", {"sku": "x"}, "0 units in stock"),
    ("get_stock_price", {"t": "x"}, '{"symbol":"X","price":null,"halted":true}'),
    ("check_availability", {}, '{"available": false, "slots": []}'),
    ("is_member", {}, '{"result": false}'),
    ("compare", {}, "No differences found between the two configurations."),
    ("validate_config", {}, "Configuration is valid. 0 errors, 0 warnings."),
    ("security_scan", {}, "0 vulnerabilities found"),
    ("get_policy", {}, "Refunds are not allowed after 30 days."),
    ("get_policy", {}, "Invalid tickets are refused at the gate."),
    ("device_status", {"device": "phone"}, "No signal. Airplane mode is on."),
    ("run_python", {"code": "print(x)"}, "[]\n[1, 2]"),
    ("run_python", {"code": "print(f())"}, "42"),
    ("list_services", {}, "api: error\nweb: running\ndb: running"),
    ("create_ticket", {}, '{"id": 5, "status": "open", "comments": [], "errors": []}'),
    ("delete_file", {"path": "a"}, '{"success": true}'),
    ("query_db", {"sql": "select"}, "name | errors\n-----+-------\napi  | 0\n(1 row)"),
)


@pytest.mark.parametrize(("tool", "arguments", "output"), FOUND)
def test_an_answer_that_tells_of_errors_is_still_an_answer(tool: str, arguments: dict[str, str], output: str) -> None:
    seen = infer(Returned(place="", call_id=None, output=output), tool_name=tool, arguments=arguments)
    assert isinstance(seen, outcomes.Success)
    assert (seen.output, seen.support) == (output, Support.INDIRECT)
    assert ONLY_A_PATH not in seen.partial
