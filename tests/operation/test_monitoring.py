"""monitoring/ and docs/operations.md: dashboard, alert rules and queries use only metrics and labels of the server."""
import json
import re
import shutil
import subprocess

import promql_parser as promql
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from serving import ROOT, Hjall
from speaking import Wire, page

DASHBOARD, ALERTS = ROOT / "monitoring" / "grafana.json", ROOT / "monitoring" / "alerts.yml"
# Metrics that Prometheus itself adds for each target, and labels that it adds to each series.
OF_PROMETHEUS, TARGET_LABELS = {"up"}, {"instance", "job"}
# Labels whose values depend on clients.
FREE_LABELS = {"method", "table", "namespace", "region", "start", "le", "client"}


def in_dashboard():
    """The queries of the dashboard, as (panel, expression), with Grafana's variables replaced."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")


def in_alerts():
    """The expressions of the alert rules, as (alert, expression)."""
    for group in yaml.safe_load(ALERTS.read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


def in_documents():
    """The queries in docs/operations.md, as (first line, expression). A line that is indented continues a query."""
    for block in re.findall(r"^```promql\n(.*?)^```$", (ROOT / "docs" / "operations.md").read_text(), re.M | re.S):
        for query in re.sub(r"\n +", " ", block).splitlines():
            if query and not query.startswith("#"):
                yield query, query


def parts(expression):
    """The expression and all expressions in it."""
    yield expression
    children = [getattr(expression, name, None) for name in ("expr", "lhs", "rhs", "vector_selector", "param")]
    for child in [*children, *(getattr(expression, "args", None) or ())]:
        if isinstance(child, promql.Expr):
            yield from parts(child)


def uses(text):
    """The metrics that a query uses, as name → its matchers; and the labels that it groups by."""
    metrics, groups = [], set()
    for part in parts(promql.parse(text)):
        if isinstance(part, promql.VectorSelector):
            matchers = [(matcher.name, str(matcher.op), matcher.value) for matcher in part.matchers.matchers]
            metrics.append((part.name, matchers))
        if isinstance(part, promql.AggregateExpr) and part.modifier is not None:
            groups |= set(part.modifier.labels)
    return metrics, groups


def exposed(server):
    """The samples of /metrics, by name: a list of their labels."""
    samples = {}
    for family in text_string_to_metric_families(page(server, "/metrics")[1]):
        for sample in family.samples:
            samples.setdefault(sample.name, []).append(sample.labels)
    return samples


def wrong(text, samples):
    """What is wrong with a query: unknown metrics, labels and values."""
    metrics, groups = uses(text)
    found = []
    for name, matchers in metrics:
        if name in OF_PROMETHEUS:
            continue
        if name not in samples:
            found.append(f"no metric {name}")
            continue
        labels = {label for sample in samples[name] for label in sample} | TARGET_LABELS
        found += [f"{name} has no label {label}" for label in [label for label, _, _ in matchers] + sorted(groups) if label not in labels]
        found += [f"{name} has no {label}={value}" for label, op, value in matchers
                  if label in labels - FREE_LABELS - TARGET_LABELS and op == "MatchOp.Equal"
                  and value not in {sample.get(label) for sample in samples[name]}]
    return found


@pytest.fixture(scope="module")
def samples():
    """The samples of a server on disk that has served a few calls."""
    with Hjall(None, "--info-listen", "127.0.0.1:0") as server, Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"r")
        wire.one.getRow(b"t", b"r", {})
        yield exposed(server)


@pytest.mark.parametrize("queries", [in_dashboard, in_alerts, in_documents], ids=["dashboard", "alerts", "documents"])
def test_queries_use_what_the_server_exposes(samples, queries):
    mistakes = {where: found for where, text in queries() if (found := wrong(text, samples))}
    assert not mistakes


def test_mistakes_are_found(samples):
    assert wrong("rate(hjall_no_such_total[5m])", samples) == ["no metric hjall_no_such_total"]
    assert wrong('hjall_lane_waiting{lain="read"}', samples) == ["hjall_lane_waiting has no label lain"]
    assert wrong('hjall_lane_waiting{lane="reed"}', samples) == ["hjall_lane_waiting has no lane=reed"]
    assert wrong("sum by (kind) (hjall_lane_waiting)", samples) == ["hjall_lane_waiting has no label kind"]
    assert wrong('hjall_lane_waiting{lane="read"} > 0', samples) == []


def test_the_alert_about_slow_gets_selects_the_methods_that_read_named_rows():
    (_, expression), = [rule for rule in in_alerts() if rule[0] == "HjallSlowGets"]
    metrics, _ = uses(expression)
    pattern = next(value for _, matchers in metrics for label, _, value in matchers if label == "method")
    lines = [line.split() for line in (ROOT / "idl" / "methods.txt").read_text().splitlines() if line and not line.startswith("#")]
    # The lane also opens and closes scanners, which reads nothing.
    parts_of = {name: part for name, part, *_ in lines}
    assert {name for name in parts_of if re.fullmatch(pattern, name)} == {name for name, part in parts_of.items() if part == "get"}


def test_an_alert_watches_failed_logins():
    assert any('kind="login_failed"' in expression for _, expression in in_alerts())


def test_alert_rules_are_complete():
    rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}, rule
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"] and rule["annotations"]["description"]
        assert re.fullmatch(r"\d+[smh]", rule.get("for", "0s"))


def test_prometheus_accepts_the_alert_rules():
    """Runs only where promtool is installed (Debian: apt install prometheus)."""
    promtool = shutil.which("promtool")
    if not promtool:
        pytest.skip("promtool is not installed")
    subprocess.run([promtool, "check", "rules", ALERTS], check=True, capture_output=True, timeout=60)


def test_the_dashboard_is_consistent():
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len(places) and all(x + panel["gridPos"]["w"] <= 24 for (x, _), panel in zip(places, panels, strict=True))
