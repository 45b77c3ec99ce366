"""What a server chooses for itself is masked before answers are compared."""
import json
import re

HOUR_MS = 3_600_000
# These list what other scenarios made, too: only what belongs to this one counts.
NAME_LISTS = ("getTableNames", "getTableNamesWithIsTableEnabled", "getTableNamesByPattern", "getTableNamesByNamespace",
              "getTableDescriptors", "getTableDescriptorsByPattern", "getTableDescriptorsByNamespace",
              "listNamespaceDescriptors", "listNamespaces")
FIELDS = {"serverName": "<server>", "hostName": "<host>", "port": "<port>", "startCode": "<code>", "regionId": "<id>"}
REGION_NAME = re.compile(r",(\d{13})\.([0-9a-f]{32})\.$", re.S)
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def mask(value, key=None, now=None):
    """An answer without what differs from server to server; `now`: milliseconds since 1970."""
    if isinstance(value, dict):
        return {k: mask(v, k, now) for k, v in value.items()}
    if isinstance(value, list):
        return [mask(v, key, now) for v in value]
    if key in FIELDS and value not in (None, -1):
        return FIELDS[key]
    if key == "id" and isinstance(value, int) and abs(value - now) < 24 * HOUR_MS:
        return "<id>"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value - now) < HOUR_MS:
        return "<now>"
    if isinstance(value, str) and REGION_NAME.search(value):
        return REGION_NAME.sub(",<id>.<md5>.", value)
    if isinstance(value, str) and UUID.fullmatch(value):
        return "<uuid>"
    return value


def scoped(method, value, scope):
    """Of a list of names: those that the scenario made, sorted."""
    if method in NAME_LISTS and isinstance(value, list):
        return sorted((v for v in value if scope in json.dumps(v)), key=json.dumps)
    if method in NAME_LISTS and isinstance(value, dict):
        return {k: v for k, v in value.items() if scope in k}
    return value
