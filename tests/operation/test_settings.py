"""Settings through the binary: the effective values, their origins, and the errors for invalid ones."""
import json
import os
import re
import subprocess
import tomllib

import pytest
from certificates import self_signed

from serving import ROOT, Hjall, binary

OPERATIONS = ROOT / "docs" / "operations.md"


def config(*options, environment=(), code=0):
    """Runs `hjall config`; returns standard output and standard error."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HJALL_")}
    done = subprocess.run([binary(), "config", *options], env={**clean, **dict(environment)}, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def settings(*options, environment=()):
    """The effective settings: name → (value, origin)."""
    printed, _ = config("--json", *options, environment=environment)
    return {name: (entry["value"], entry["from"]) for name, entry in json.loads(printed)["settings"].items()}


def changed(*options, environment=()):
    """The settings that are not at their defaults: name → (value, origin)."""
    return {name: found for name, found in settings(*options, environment=environment).items() if found[1] != "default"}


def toml(folder, text):
    path = folder / "hjall.toml"
    path.write_text(text)
    return path


def site(folder, **properties):
    """Writes an hbase-site.xml with one property per line, from line 2 on; `_` in a name stands for a dot."""
    path = folder / "hbase-site.xml"
    lines = [f"<property><name>{name.replace('_', '.')}</name><value>{value}</value></property>" for name, value in properties.items()]
    path.write_text("\n".join(["<configuration>", *lines, "</configuration>"]))
    return path


def test_each_layer_overrides_the_ones_before_it(tmp_path):
    file = toml(tmp_path, "[queues]\nread_ratio = 0.1\nscan_ratio = 0.1\nhandlers = 11\nhandler_factor = 0.1\n")
    xml = site(tmp_path, hbase_ipc_server_callqueue_scan_ratio="0.2", hbase_regionserver_handler_count="22",
               hbase_ipc_server_callqueue_handler_factor="0.2")
    variables = {"HJALL_QUEUES_HANDLERS": "33", "HJALL_QUEUES_HANDLER_FACTOR": "0.3"}
    found = changed("--config", file, "--hbase-site", xml, "--set", "queues.handler_factor=0.4", environment=variables)
    assert found == {
        "queues.read_ratio": (0.1, f"{file}:2"),
        "queues.scan_ratio": (0.2, f"{xml}:2 hbase.ipc.server.callqueue.scan.ratio"),
        "queues.handlers": (33, "HJALL_QUEUES_HANDLERS"),
        "queues.handler_factor": (0.4, "--set"),
    }


def test_the_environment_can_name_the_files(tmp_path):
    file, xml = toml(tmp_path, "[server]\ngrace = \"7s\"\n"), site(tmp_path, hbase_thrift_readonly="true")
    found = changed(environment={"HJALL_CONFIG": str(file), "HJALL_HBASE_SITE": str(xml)})
    assert found["server.grace"][0] == "7s" and found["server.read_only"][0] is True


# HBase's key, its value in HBase's notation, the setting, its value in hjall's notation.
TAKEN = [
    ("hbase.regionserver.thrift.port", "9191", "server.port", 9191),
    ("hbase.regionserver.thrift.ipaddress", "0.0.0.0", "server.address", "0.0.0.0"),
    ("hbase.thrift.readonly", "TRUE", "server.read_only", True),
    ("hbase.thrift.stop.timeout.seconds", "5", "server.grace", "5s"),
    ("hbase.regionserver.handler.count", "60", "queues.handlers", 60),
    ("hbase.ipc.server.callqueue.handler.factor", "0.2", "queues.handler_factor", 0.2),
    ("hbase.ipc.server.callqueue.read.ratio", "0.7", "queues.read_ratio", 0.7),
    ("hbase.ipc.server.callqueue.scan.ratio", "0.4", "queues.scan_ratio", 0.4),
    ("hbase.ipc.server.max.callqueue.length", "100", "queues.length", 100),
    ("hbase.ipc.server.max.callqueue.size", "1048576", "limits.bytes_in_flight", "1MiB"),
    ("hbase.ipc.server.callqueue.type", "codel", "queues.order", "codel"),
    ("hbase.ipc.server.callqueue.codel.target.delay", "50", "queues.codel_target", "50ms"),
    ("hbase.ipc.server.callqueue.codel.interval", "200", "queues.codel_interval", "200ms"),
    ("hbase.ipc.server.callqueue.codel.lifo.threshold", "0.5", "queues.codel_lifo_threshold", 0.5),
    ("hbase.ipc.server.queue.max.call.delay", "1500", "queues.call_delay", "1500ms"),
    ("hbase.ipc.server.scan.vtime.weight", "2.5", "queues.scan_weight", 2.5),
    ("hbase.regionserver.metahandler.count", "7", "queues.admin_handlers", 7),
    ("hbase.ipc.server.priority.max.callqueue.length", "9", "queues.admin_waiting", 9),
    ("hbase.rpc.timeout", "30000", "queues.wait", "30s"),
    ("hbase.regionserver.thrift.framed.max_frame_size_in_mb", "3", "limits.frame", "3MiB"),
    ("hbase.ipc.max.request.size", "2097152", "limits.message", "2MiB"),
    ("hbase.client.scanner.max.result.size", "1000", "limits.page", "1000"),
    ("hbase.client.scanner.timeout.period", "90000", "limits.scanner_timeout", "90s"),
    ("hbase.thrift.server.socket.read.timeout", "0", "limits.idle", "off"),
    ("hbase.thrift.server.socket.read.timeout", "45000", "limits.idle", "45s"),
    ("hbase.client.keyvalue.maxsize", "1024", "store.cell", "1KiB"),
    ("hbase.server.keyvalue.maxsize", "-1", "store.cell_stored", "off"),
    ("hbase.wal.hsync", "true", "store.durability", "FSYNC_WAL"),
    ("hbase.wal.hsync", "false", "store.durability", "SYNC_WAL"),
    ("hbase.hstore.compaction.throughput.higher.bound", "1048576", "compaction.throughput", "1MiB"),
    ("hbase.hregion.majorcompaction", "86400000", "compaction.major_period", "24h"),
    ("hbase.hregion.majorcompaction", "0", "compaction.major_period", "off"),
    ("hbase.hregion.majorcompaction.jitter", "0.25", "compaction.major_jitter", 0.25),
    ("hbase.thrift.info.port", "-1", "info.port", "off"),
    ("hbase.thrift.info.port", "9999", "info.port", 9999),
    ("hbase.thrift.info.bindAddress", "::1", "info.address", "::1"),
    ("hbase.ipc.warn.response.time", "250", "slow.time", "250ms"),
    ("hbase.ipc.warn.response.time", "-1", "slow.time", "off"),
    ("hbase.ipc.warn.response.size", "2048", "slow.size", "2KiB"),
    ("hbase.ipc.warn.response.time.scan", "3000", "slow.scan_time", "3s"),
    ("hbase.ipc.warn.response.size.scan", "4096", "slow.scan_size", "4KiB"),
    ("hbase.thrift.slow.response.nano.second", "5000000", "slow.thrift_call", "5ms"),
    ("hbase.regionserver.slowlog.buffer.enabled", "true", "slow.keep", True),
    ("hbase.regionserver.slowlog.ringbuffer.size", "16", "slow.keep_count", 16),
]


@pytest.mark.parametrize(("key", "value", "name", "expected"), TAKEN)
def test_hbase_keys_are_applied_in_their_own_units(tmp_path, key, value, name, expected):
    path = tmp_path / "hbase-site.xml"
    path.write_text(f"<configuration>\n<property><name>{key}</name>\n<value> {value} </value></property></configuration>")
    assert changed("--hbase-site", path) == {name: (expected, f"{path}:2 {key}")}


def test_every_documented_hbase_key_is_tested_above():
    keys = set(re.findall(r"`(hbase\.[\w.]+)`", OPERATIONS.read_text().split("### `[server]`")[1].split("### HBase's keys without effect")[0]))
    together = {"hbase.offpeak.start.hour", "hbase.offpeak.end.hour"}
    assert keys - {key for key, *_ in TAKEN} - together == {"hbase.regionserver.lease.period", "hbase.server.scanner.max.result.size"}


def test_the_hours_of_off_peak_time_are_applied_together(tmp_path):
    path = site(tmp_path, hbase_offpeak_start_hour="1", hbase_offpeak_end_hour="5")
    hours = changed("--hbase-site", path)
    assert {name: value for name, (value, _) in hours.items()} == {"compaction.offpeak_start": 1, "compaction.offpeak_end": 5}


def test_unknown_keys_and_keys_without_effect_are_reported_in_separate_warnings(tmp_path):
    xml = site(tmp_path, my_own="1", hbase_zookeeper_quorum="a,b", hbase_ipc_server_callqueue_read_ration="1", hbase_thrift_ssl_keystore="a.jks")
    _, warned = config("--hbase-site", xml)
    unknown, without = sorted((line for line in warned.splitlines() if str(xml) in line), key=lambda line: "without effect" in line)
    assert "unknown" in unknown and "my.own (line 2)" in unknown and "hbase.ipc.server.callqueue.read.ration (line 4; did you" in unknown
    assert "hbase.zookeeper.quorum (hjall is a single process" in without and "hbase.thrift.ssl.keystore (" in without


@pytest.mark.parametrize(("name", "value"), [("server.listen", "[::1]:9090"), ("server.listen", "localhost:9090"), ("info.listen", "[fe80::1%2]:9"),
                                             ("server.address", "::1"), ("server.address", "[::1]"), ("info.address", "fe80::1%2")])
def test_addresses_of_version_6_and_names_are_accepted(name, value):
    assert name in changed("--set", f"{name}={value}")


def test_a_property_that_only_others_refer_to_is_not_unknown(tmp_path):
    xml = site(tmp_path, my_port="9123", hbase_regionserver_thrift_port="${my.port}")
    printed, warned = config("--hbase-site", xml)
    assert "port = 9123" in printed and "my.port" not in warned, warned


def test_misspelt_keys_of_hbase_get_a_suggestion(tmp_path):
    xml = site(tmp_path, hbase_wal_hsinc="true", hbase_hregion_majorcompactoin="1", hbase_regionserver_handlers_count="9")
    _, warned = config("--hbase-site", xml)
    for meant in ("hbase.wal.hsync", "hbase.hregion.majorcompaction", "hbase.regionserver.handler.count"):
        assert f"; did you mean {meant}?)" in warned, warned
    # Keys of HBase that are similar to others.
    xml = site(tmp_path, hbase_rest_info_port="1", hbase_hstore_compaction_throughput_lower_bound="1", hbase_wal_provider="asyncfs")
    assert "did you mean" not in config("--hbase-site", xml)[1]


def test_of_two_keys_with_one_meaning_the_first_wins_and_the_other_is_reported(tmp_path):
    xml = site(tmp_path, hbase_regionserver_lease_period="1000", hbase_client_scanner_timeout_period="2000")
    assert changed("--hbase-site", xml)["limits.scanner_timeout"][0] == "2s"
    assert "hbase.regionserver.lease.period (another key with the same meaning" in config("--hbase-site", xml)[1]


# A TOML file, and a part of the error message: line, key and remedy.
WRONG_TOML = [
    ("[queues]\nread_ratio = 1.5\n", ":2: queues.read_ratio = 1.5: must be a number from 0 to 1"),
    ("[queues]\nread_ration = 0.5\n", ":2: queues.read_ration is not a setting; did you mean queues.read_ratio?"),
    ("\n[queue]\nread_ratio = 0.5\n", ":2: [queue] is not a section; did you mean [queues]?"),
    ("listen = 1\n", ":1: listen is not a setting"),
    ("[limits]\nconnections = \"many\"\n", ':2: limits.connections = "many": must be a whole number from 1 to'),
    ("[limits]\nconnections = 0\n", ":2: limits.connections = 0: must be a whole number from 1 to"),
    ("[limits]\nidle = 5\n", "or off or 0, with a unit, such as 500ms, 60s, 5m or 2h"),
    ("[limits]\nframe = \"1 furlong\"\n", "such as 64KiB, 100MiB or 1GiB"),
    ("[server]\nmemory = \"yes\"\n", ':2: server.memory = "yes": must be true or false'),
    ("[server]\nlisten = [\"nowhere\"]\n", ':2: server.listen = "nowhere": must be a host and a port'),
    ("[log]\nformat = \"xml\"\n", "must be one of human, json"),
    ("[tls]\nkey = \"k.pem\"\n", "tls.key requires tls.certificate (--tls-cert)"),
    ("[tls]\nplain = \"loopback\"\n", "tls.plain = loopback requires tls.certificate and tls.key"),
    ("[tls]\nclient_certificates = \"request\"\n[auth]\nusers = \"u.toml\"\n", "tls.client_certificates = request needs tls.client_ca"),
    ("[server]\nlisten = \"\"\n", ':2: server.listen = "": must be one or more addresses'),
    ("[server]\nlisten = [\"127.0.0.1:9\", \"127.0.0.1:9\"]\n", ":2: server.listen names 127.0.0.1:9 twice; remove one"),
    ("[server]\nlisten = \"127.0.0.1:9\"\n[info]\nlisten = \"127.0.0.1:9\"\n",
     ":4: info.listen (127.0.0.1:9) and server.listen (127.0.0.1:9) have the same port; choose another one"),
    ("[server]\naddress = \"nosuchhost.invalid\"\n", ':2: server.address = "nosuchhost.invalid": the name cannot be resolved ('),
    ("[server]\naddress = \"127.0.0.1:9090\"\n", ":2: server.address = \"127.0.0.1:9090\": must be a host name or an IP address, "
                                               "without a port; the port is server.port"),
    ("[info]\naddress = \"127.0.0.1:9090\"\n", ":2: info.address = \"127.0.0.1:9090\": must be a host name or an IP address, without a port"),
    ("[server]\nhost = \"bad host\"\n", ":2: server.host = \"bad host\": must be a host name or an IP address, without a port"),
    ("[server]\nhost = \"a,b\"\n", "must be a host name or an IP address"),
    ("[server]\ngrace = \"60\"\n", ':2: server.grace = "60": must be a time'),
    ("[server]\nprot = 3\n", "server.prot is not a setting; did you mean server.port?"),
    ("[server]\nfoo = 1\n", ":2: server.foo is not a setting; `hjall config --default` lists all settings"),
    ("[server\n", ":1: is not valid TOML"),
    ("[server]\nport = 1\nport = 2\n", ":3: is not valid TOML: duplicate key port, as in line 2"),
    ("[server]\nport = 1\n\n[server]\nhost = \"a\"\n", ":4: is not valid TOML: duplicate key server, as in line 1"),
]


@pytest.mark.parametrize(("text", "said"), WRONG_TOML)
def test_an_invalid_toml_file_is_refused_with_the_line_and_the_allowed_values(tmp_path, text, said):
    file = toml(tmp_path, text)
    printed, why = config("--config", file, code=2)
    assert printed == "" and str(file) in why and said in why, why


# The content of hbase-site.xml, and a part of the error message.
WRONG_SITE = [
    ("<property><name>hbase.regionserver.thrift.port</name><value>x</value></property>",
     ":2: hbase.regionserver.thrift.port = x: must be a whole number from 0 to 65535"),
    ("<property><name>hbase.rpc.timeout</name><value>60s</value></property>", "(in this file, a number without a unit, in ms)"),
    ("<property><name>hbase.ipc.server.callqueue.type</name><value>lifo</value></property>", "must be one of fifo, deadline, codel"),
    ("<property><name>a</name></property>", ":2: <property>: must be <property> with a <name> and a <value>"),
    ("<include/>", ":2: <include>: must be <property>"),
    ("<property>", "is not valid XML"),
]


@pytest.mark.parametrize(("inside", "said"), WRONG_SITE)
def test_an_invalid_site_file_is_refused_with_the_line_and_the_allowed_values(tmp_path, inside, said):
    path = tmp_path / "hbase-site.xml"
    path.write_text(f"<configuration>\n{inside}\n</configuration>")
    _, why = config("--hbase-site", path, code=2)
    assert str(path) in why and said in why, why


def test_entity_expansion_is_refused(tmp_path):
    path = tmp_path / "hbase-site.xml"
    path.write_text('<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><configuration>&c;</configuration>')
    assert "is not valid XML" in config("--hbase-site", path, code=2)[1]


@pytest.mark.parametrize(("options", "variables", "said"), [
    (("--max-connections", "0"), {}, "--max-connections 0: must be a whole number"),
    (("--grace", "90000"), {}, "--grace 90000s: must be a time from 0s to 24h"),
    (("--grace", "soon"), {}, "--grace soon: must be a time from 0s to 24h"),
    (("--cache-mib", "1TB"), {}, "--cache-mib 1TB: must be a size"),
    (("--cache-mib=-1",), {}, "for this flag, a number without a unit is in MiB"),
    (("--set", "queue.read_ratio=1"), {}, "queue.read_ratio is not a setting; did you mean queues.read_ratio?"),
    (("--set", "foo.bar=1"), {}, "foo.bar is not a setting; `hjall config` lists all settings"),
    (("--set", "queues.read_ratio=2"), {}, "--set queues.read_ratio=2: must be a number from 0 to 1"),
    (("--set", "server.prot=3"), {}, "server.prot is not a setting; did you mean server.port?"),
    (("--set", "server.listen="), {}, '--set server.listen="": must be one or more addresses'),
    ((), {"HJALL_SERVER_PROT": "3"}, "HJALL_SERVER_PROT is not the variable of a setting; did you mean HJALL_SERVER_PORT?"),
    (("--config", "/no/such/file"), {}, "/no/such/file: cannot be read"),
    (("--log", "inof"), {}, "--log: log.filter = inof: inof is neither a level"),
    ((), {"HJALL_LOG": "warn,hjall_sevrer=debug"}, "did you mean hjall_server?"),
    ((), {"HJALL_QUEUES_READ_RATIO": "half"}, "HJALL_QUEUES_READ_RATIO=half: must be a number from 0 to 1"),
])
def test_invalid_flags_and_variables_are_refused_by_name(options, variables, said):
    assert said in config(*options, environment=variables, code=2)[1]


@pytest.mark.parametrize(("arguments", "tip"), [
    (("serve", "--durability", "FSYNC_WAL"), "'--set store.durability=VALUE'"),
    (("config", "--read-ratio=1"), "'--set queues.read_ratio=VALUE'"),
    (("verify", "./data"), "'--data ./data'"),
    (("repair", "./data"), "'--data ./data'"),
])
def test_an_unknown_argument_gets_a_tip(arguments, tip):
    done = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and tip in done.stderr, done.stderr


def test_an_invalid_filter_of_the_log_is_refused_with_the_line(tmp_path):
    file = toml(tmp_path, "[log]\nfilter = \"inof\"\n")
    assert f"{file}:2: log.filter = inof: inof is neither a level" in config("--config", file, code=2)[1]


def test_an_unknown_variable_is_refused():
    _, said = config(environment={"HJALL_QUEUE_READ_RATIO": "0.5", "HJALL_UNRELATED": "1", "HJALL_FOO": "1"}, code=2)
    assert "HJALL_QUEUE_READ_RATIO is not the variable of a setting; did you mean HJALL_QUEUES_READ_RATIO?" in said
    assert "HJALL_UNRELATED is not the variable of a setting; unset it" in said
    assert "HJALL_FOO is not the variable of a setting; unset it" in said


def test_variables_of_the_shell_are_no_settings():
    assert not changed(environment={"HJALL_SHELL_SERVER": "db.example.com:9090", "HJALL_PASSWORD": "secret"})


def test_an_empty_variable_is_like_none():
    assert not changed(environment={"HJALL_UNRELATED": "", "HJALL_QUEUES_READ_RATIO": ""})


def test_variables_of_kubernetes_services_are_no_settings():
    address = {"HJALL_PORT": "tcp://10.0.0.1:9090", "HJALL_PORT_9090_TCP": "tcp://10.0.0.1:9090", "HJALL_PORT_9090_TCP_ADDR": "10.0.0.1",
               "HJALL_PORT_9090_TCP_PORT": "9090", "HJALL_PORT_9090_TCP_PROTO": "tcp", "HJALL_SERVICE_HOST": "10.0.0.1",
               "HJALL_SERVICE_PORT": "9090", "HJALL_SERVICE_PORT_THRIFT": "9090"}
    assert not changed(environment=address)


@pytest.mark.parametrize(("short", "long", "name", "value"), [
    ("HJALL_DATA", "HJALL_SERVER_DATA", "server.data", "/data"),
    ("HJALL_LISTEN", "HJALL_SERVER_LISTEN", "server.listen", "127.0.0.1:1"),
    ("HJALL_LOG", "HJALL_LOG_FILTER", "log.filter", "debug"),
])
def test_a_setting_with_a_short_variable_has_the_long_one_too(short, long, name, value):
    for variable in (short, long):
        found, origin = changed(environment={variable: value})[name]
        assert value in found and origin == variable
    said = config(environment={short: value, long: value}, code=2)[1]
    assert short in said and long in said and f"both set {name}; unset one of them" in said


def test_commands_for_folders_have_the_flags_that_matter_to_them():
    for command in ("backup", "restore", "verify", "compact"):
        said = subprocess.run([binary(), command, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
        flags = set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", said, re.M))
        own = {"incremental"} if command == "backup" else set()
        assert flags == {"config", "hbase-site", "data", "cache-mib", "set", "help"} | own


def test_the_help(tmp_path):
    said = lambda *words: subprocess.run([binary(), *words], capture_output=True, text=True, check=True, timeout=60).stdout
    assert said("help") == said("--help") and said("help", "serve") == said("serve", "--help")
    for command in ("add", "check"):
        assert "every client may do everything" not in said("user", command, "--help")


def test_an_info_port_on_the_network_is_reported():
    with Hjall(None, "--memory", "--info-listen", "0.0.0.0:0") as server:
        server.stop()
        assert any("INFO PORT OPEN TO THE NETWORK" in line for line in server.said), server.said
    with Hjall(None, "--memory", "--info-listen", "127.0.0.1:0") as server:
        server.stop()
        assert not any("INFO PORT" in line for line in server.said), server.said


def test_the_help_and_the_reference_list_the_choices():
    said = subprocess.run([binary(), "serve", "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    assert "[possible values: human, json]" in said and "[possible values: refuse, wait]" in said
    assert "  - Values: one of fifo, deadline, codel\n" in config("--markdown")[0]


@pytest.mark.parametrize("name, right, wrong", [
    ("http.hosts", ["a.example", "proxy_1", "10.0.0.1", "a.example,b-2.example"],
     ["https://foo", "bar:80", "a/b", "a.example.", "*.example", "é.example", "[::1]", "a.example,b:1"]),
    ("http.origins", ["*", "https://a.example", "http://a.example:8080", "https://a.example:80", "http://[::1]:3000", "null",
                      "chrome-extension://abcdef", "https://a.example,http://localhost:3000"],
     ["https://a.example/", "a.example", "https://a.example:443", "http://a.example:80", "https://", "https://a b", "://a",
      "https://a.example:x", "https://a.example:0080", "https://*.example", "https://a.example/x", "https://u@a.example"]),
])
def test_hosts_and_origins_that_no_request_has_are_refused(name, right, wrong):
    for value in right:
        config("--set", f"{name}={value}")
    for value in wrong:
        said = config("--set", f"{name}={value}", code=2)[1]
        assert f"{name}={value}: must be " in said and "a.example" not in said.replace(value, ""), said
    form = config("--markdown")[0].split(f"**`{name}`**")[1].split("\n- **`")[0]
    assert "Values: " in form and ("SCHEME://HOST" in form or "host names" in form)


def test_the_files_that_settings_name_are_checked(tmp_path):
    missing, users = tmp_path / "missing", tmp_path / "users.toml"
    users.write_text("[users.alice]\nreed = []\n")
    for options, code, why in ((("--users", missing), 2, f"{missing}: cannot be read"), (("--users", users), 2, "users.alice.reed is unknown"),
                               (("--tls-cert", missing, "--tls-key", missing), 7, str(missing)), (("--log", "a=b=c"), 2, "a=b=c")):
        printed, said = config(*options, code=code)
        assert why in said and "[server]" in printed, "the settings are printed as well"
    users.write_text("[users.alice]\nread = []\n")
    config("--users", users)


def test_a_start_says_that_it_is_read_only():
    for value, expected in (("false", ""), ("true", "Thrift1, and changes of tables through Thrift2, stay allowed"), ("all", "all changes through all")):
        with Hjall(None, "--memory", "--set", f"server.read_only={value}") as server:
            assert server.stop() == 0
            said = "".join(line for line in server.said if "read-only" in line)
        assert bool(said) == bool(expected) and expected in said, said


def test_all_errors_are_reported_at_once(tmp_path):
    file = toml(tmp_path, "[queues]\nread_ratio = 7\nscan_ratio = 8\n")
    assert len(config("--config", file, code=2)[1].splitlines()) == 2


def test_an_address_in_a_later_layer_overrides_the_list_in_an_earlier_one(tmp_path):
    file, xml = toml(tmp_path, '[server]\nlisten = ["127.0.0.1:1"]\n'), site(tmp_path, hbase_regionserver_thrift_port="0")
    done = subprocess.Popen([binary(), "serve", "--memory", "--config", file, "--hbase-site", xml, "--info-listen", "off"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert re.fullmatch(r"hjall listening on 127\.0\.0\.1:\d{2,5}\n", done.stdout.readline())
    finally:
        done.kill()
        done.wait()
        done.stdout.close()


def test_two_services_cannot_have_one_address():
    for other in ("rest", "thrift1"):
        name = {"rest": "rest.listen", "thrift1": "server.listen_thrift1"}[other]
        _, said = config("--set", "server.listen=127.0.0.1:9090", "--set", f"{name}=127.0.0.1:9090", code=2)
        assert f"server.listen and {name} both have the address 127.0.0.1:9090" in said


def test_the_announcement_names_the_service_of_a_port_of_its_own():
    done = subprocess.Popen([binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--rest-listen", "127.0.0.1:0", "--info-listen", "off"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        lines = [done.stdout.readline() for _ in range(2)]
    finally:
        done.kill()
        done.wait()
        done.stdout.close()
    assert re.fullmatch(r"hjall listening on 127\.0\.0\.1:\d+\n", lines[0])
    assert re.fullmatch(r"hjall listening on 127\.0\.0\.1:\d+ \(REST\)\n", lines[1])


def test_a_port_beside_a_list_of_addresses_is_not_used(tmp_path):
    file = toml(tmp_path, '[server]\nport = 9999\nlisten = ["127.0.0.1:9090"]\n')
    printed, said = config("--config", file)
    assert f"{file}:2: server.port is not used, because server.listen is set, too" in said, said
    assert "not used, since server.listen is set" in next(line for line in printed.splitlines() if line.startswith("port = 9999"))
    assert config("--config", toml(tmp_path, printed))[1].count("is not used") == 1
    printed, said = config("--config", toml(tmp_path, "[server]\nport = 9999\n"), "--listen", "127.0.0.1:9090")
    assert said == "", "a later layer overrides it on purpose"
    assert printed.count("not used, since") == 1
    assert "not used" not in config("--listen", "127.0.0.1:9090")[0]


def test_settings_that_allow_more_memory_than_there_is(tmp_path):
    large = ("--set", "store.cache=1TiB")
    assert "# Warning: the settings allow up to" in config(*large)[0]
    assert "# Warning" not in config("--cache-mib", "64", "--memory", "--set", "limits.connections=1")[0]
    assert "KiB" not in "".join(re.findall(r"(?m)^# [a-z ]+ +\d+[KMG]iB", config("--set", "limits.connections=3")[0]))


def test_the_output_is_a_valid_settings_file(tmp_path):
    printed, _ = config("--set", "queues.read_ratio=0.7", "--set", "server.data=a \"b\" \\ c")
    assert tomllib.loads(printed)["queues"]["read_ratio"] == 0.7
    again = changed("--config", toml(tmp_path, printed))
    assert again["queues.read_ratio"][0] == 0.7 and again["server.data"][0] == 'a "b" \\ c'
    before = {name: value for name, (value, _) in settings().items()}
    assert {name: value for name, (value, _) in again.items() if before[name] != value}.keys() == {"queues.read_ratio", "server.data"}


def test_the_resulting_lanes_are_shown():
    printed, _ = config("--json", "--set", "queues.handlers=60", "--set", "queues.handler_factor=0.2", "--set", "queues.read_ratio=0.7",
                        "--set", "queues.scan_ratio=0.4")
    lanes = json.loads(printed)["lanes"]
    assert {lane: (found["queues"], found["handlers"]) for lane, found in lanes.items() if lane != "admin"} == \
        {"write": (4, 18), "read": (5, 26), "scan": (3, 16)}


def test_the_template_has_every_setting_and_changes_nothing(tmp_path):
    begin, _ = config("--default")
    assert changed("--config", toml(tmp_path, begin)) == {}
    every = re.sub(r"(?m)^#(\w+ = (?!.*# an example$))", r"\1", begin)
    assert {name: value for name, (value, _) in settings("--config", toml(tmp_path, every)).items()} == \
        {name: value for name, (value, _) in settings().items()}
    named = {f"{section}.{key}" for section, keys in re.findall(r"\[(\w+)\]\n((?:#.*\n)+)", begin) for key in re.findall(r"(?m)^#(\w+) = ", keys)}
    assert named == set(settings())


def test_the_template_has_an_example_of_each_setting_without_a_default(tmp_path):
    begin, _ = config("--default")
    assert "…" not in re.sub(r"(?m)^#  ?.*$", "", begin)
    examples = [(section, line) for section, lines in re.findall(r"\[(\w+)\]\n((?:#.*\n)+)", begin)
                for line in re.findall(r"(?m)^#(\w+ = .*)  # an example$", lines)]
    assert len(examples) > 10
    for section, line in examples:
        done = subprocess.run([binary(), "config", "--config", toml(tmp_path, f"[{section}]\n{line}  # an example\n")], capture_output=True, text=True)
        # The value is one. It may be of no use alone: its file does not exist, or another setting is needed.
        assert done.returncode in (0, 2) and not re.search("must be|TOML", done.stderr), (section, line, done.stderr)


def test_the_example_file_is_valid():
    path = ROOT / "examples" / "hjall.toml"
    found = changed("--config", path)
    assert found["queues.read_ratio"][0] == 0.7 and len(found) > 5, "an example must set something"


def test_the_guide_documents_all_settings():
    table, _ = config("--markdown")
    assert table.strip() in OPERATIONS.read_text(), "docs/operations.md is out of date: replace its reference of settings with the output of `hjall config --markdown`"


def test_help_names_every_documented_flag():
    printed = subprocess.run([binary(), "serve", "--help"], capture_output=True, text=True, check=True).stdout
    flags = set(re.findall(r"Flag: `(--[\w-]+)", config("--markdown")[0]))
    assert len(flags) > 10
    for flag in flags:
        assert flag in printed


def test_file_names_may_contain_any_characters(tmp_path):
    folder = tmp_path / "ä b"
    folder.mkdir()
    assert changed("--config", toml(folder, '[server]\ndata = "dätä"\n'))["server.data"][0] == "dätä"


@pytest.mark.parametrize(("given", "means"), [
    (("--grace", "30"), "30s"), (("--grace", "500ms"), "500ms"), (("--grace", "2m"), "2m"), (("--grace", "0"), "0s"),
    (("--cache-mib", "64"), "64MiB"), (("--cache-mib", "2GiB"), "2GiB"),
])
def test_the_unit_of_a_flag_is_that_of_bare_numbers(given, means):
    assert settings(*given)[{"--grace": "server.grace", "--cache-mib": "store.cache"}[given[0]]][0] == means


def test_derived_values_are_those_in_force(tmp_path):
    found = settings()
    assert found["server.listen"] == (["127.0.0.1:9090"], "default") and found["server.host"][0] == "127.0.0.1"
    assert found["info.listen"][0] == "127.0.0.1:9095" and found["queues.length"][0] == 10 * found["queues.handlers"][0]
    assert found["store.cache"][0].endswith(("MiB", "GiB")) and found["store.row_cache"][0].endswith("MiB")
    found = settings("--listen", "0.0.0.0:9090", "--cache-mib", "64", "--info-listen", "off", "--set", "slow.time=3s")
    assert found["server.host"][0] == os.uname().nodename and found["store.row_cache"][0] == "8MiB"
    assert found["info.listen"][0] == "off" and found["slow.scan_time"][0] == "3s"
    printed, _ = config()
    assert '# listen = ["127.0.0.1:9090"] ' in printed and '# row_cache = "' in printed
    # They do not become fixed when the output is used as a settings file.
    assert settings("--config", toml(tmp_path, printed), "--cache-mib", "64")["store.row_cache"][0] == "8MiB"


def test_the_memory_that_the_settings_allow_is_shown(tmp_path):
    options = ("--cache-mib", "64", "--set", "store.row_cache=3MiB", "--set", "store.write_buffer=16MiB", "--set", "limits.bytes_in_flight=100MiB")
    mib = {name: size / 2**20 for name, size in json.loads(config("--json", *options)[0])["memory"].items()}
    assert mib == {"row_cache": 3, "block_cache": 64, "filters_of_rows": 8, "write_buffer": 32, "memtables_in_use": 112, "compactions": 192, "backups": 128, "snapshots_of_scanners": 16,
                   "descriptors": 64, "messages_and_replies": 100, "allocator": 90, "connections": 625}
    assert re.search(r"# total +1434MiB\n", config(*options)[0])
    certificate, key = self_signed(tmp_path)
    few = ("--set", "limits.connections=2", "--tls-cert", str(certificate), "--tls-key", str(key))
    assert json.loads(config("--json", *options, *few)[0])["memory"]["connections"] == 2 * 88 * 2**10
    kept = json.loads(config("--json", *options, "--set", "limits.scanner_snapshot_writes=5MiB")[0])["memory"]["snapshots_of_scanners"]
    assert kept == 5 * 2**20
    assert set(json.loads(config("--json", "--memory")[0])["memory"]) == {"row_cache", "descriptors", "messages_and_replies", "allocator", "connections"}


@pytest.mark.parametrize("options", [("--set", "queue.read_ratio=1"), ("--set", "queues.read_ratio"), ("--max-connections", "many")])
def test_an_error_is_one_line(options):
    assert len(config(*options, code=2)[1].splitlines()) == 1


def test_an_error_in_hbase_site_is_one_line(tmp_path):
    said = config("--hbase-site", site(tmp_path, hbase_ipc_max_request_size="many"), code=2)[1]
    assert len(said.splitlines()) == 1 and "in this file, a number without a unit, in B" in said


def test_the_first_final_property_wins(tmp_path):
    path = tmp_path / "hbase-site.xml"
    key = "<name>hbase.regionserver.handler.count</name>"
    path.write_text(f"<configuration>\n<property>{key}<value>10</value></property>\n"
                    f"<property>{key}<value>11</value><final>true</final></property>\n"
                    f"<property>{key}<value>12</value><final>true</final></property>\n</configuration>")
    printed, said = config("--json", "--hbase-site", path)
    found = json.loads(printed)["settings"]["queues.handlers"]
    assert (found["value"], found["from"]) == (11, f"{path}:3 hbase.regionserver.handler.count")
    assert f"{path}:4: hbase.regionserver.handler.count is not used, because the one in line 3 is final" in said


def test_variables_of_hbase_site_are_replaced(tmp_path):
    path = site(tmp_path, my_count="3${env.DIGIT:-7}", hbase_regionserver_handler_count="${my.count}")
    assert settings("--hbase-site", path)["queues.handlers"][0] == 37
    assert settings("--hbase-site", path, environment={"DIGIT": "1"})["queues.handlers"][0] == 31


@pytest.mark.parametrize(("value", "said"), [
    ("${my.absent}", "the variable ${my.absent} has no value, or refers to itself; add the property my.absent"),
    ("${env.HBASE_ABSENT}", "the variable ${env.HBASE_ABSENT} has no value; set HBASE_ABSENT in the environment"),
])
def test_a_variable_without_a_value_is_refused_by_name(tmp_path, value, said):
    _, why = config("--hbase-site", site(tmp_path, hbase_regionserver_thrift_ipaddress=value), code=2)
    assert f":2: hbase.regionserver.thrift.ipaddress = {value}: {said}" in why, why
    assert config("--hbase-site", site(tmp_path, hbase_rootdir=value))[0], "only settings are checked"


@pytest.mark.parametrize("namespace", ['xmlns:xi="http://www.w3.org/2001/XInclude"', ""])
def test_an_inclusion_in_hbase_site_is_refused_with_the_remedy(tmp_path, namespace):
    path = tmp_path / "hbase-site.xml"
    path.write_text(f'<configuration {namespace}>\n<xi:include href="more.xml"/>\n</configuration>')
    _, why = config("--hbase-site", path, code=2)
    assert f"{path}:2: <xi:include>" in why and "put the properties of that file into this one" in why, why


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero")
def test_files_without_an_end_are_not_read_forever(tmp_path):
    pem, key = self_signed(tmp_path)
    for options in (["--config", "/dev/zero"], ["--hbase-site", "/dev/zero"]):
        assert "/dev/zero: cannot be read: it has more than 64 MiB; name a smaller file" in config(*options, code=2)[1]
    endless = {"users": ["--users", "/dev/zero"], "cert": ["--tls-cert", "/dev/zero", "--tls-key", key],
               "key": ["--tls-cert", pem, "--tls-key", "/dev/zero"]}
    for options in endless.values():
        command = [binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--info-listen", "off", *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode not in (0, -9) and "it has more than 64 MiB" in done.stderr, done


def test_values_in_errors_are_short_and_on_one_line(tmp_path):
    recursive = site(tmp_path, a="${b}${b}", b="x${a}" * 40, hbase_regionserver_handler_count="${a}")
    told = config("--hbase-site", recursive, code=2)[1]
    assert "the variable ${" in told and len(told) < 800, told
    assert config("--set", "host=a\nb", code=2)[1].startswith(
        r'hjall: --set host="a\u000Ab": host is not a setting'), config("--set", "host=a\nb", code=2)[1]
    assert r"log.filter = a=\u{1b}[31m" in config("--set", "log.filter=a=\x1b[31m", code=2)[1]
    long = config("--set", "log.format=" + "x" * 5000, code=2)[1]
    assert "x…" in long and len(long) < 600, long
