"""Masks the values that a server chooses itself before answers are compared."""
import json
import re

HOUR_MS = 3_600_000
# These also list objects of other scenarios; only those of the current scenario are compared.
NAME_LISTS = ("getTableNames", "getTableNamesWithIsTableEnabled", "getTableNamesByPattern", "getTableNamesByNamespace",
              "getTableDescriptors", "getTableDescriptorsByPattern", "getTableDescriptorsByNamespace",
              "listNamespaceDescriptors", "listNamespaces")
FIELDS = {"serverName": "<server>", "hostName": "<host>", "port": "<port>", "startCode": "<code>", "regionId": "<id>"}
REGION_NAME = re.compile(r",(\d{13})\.([0-9a-f]{32})\.$", re.S)
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def mask(value, key=None, now=None):
    """Masks the values in an answer that differ between servers. `now` is in milliseconds since 1970."""
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
    """Reduces a list of names to those created by the scenario, sorted."""
    if method in NAME_LISTS and isinstance(value, list):
        return sorted((v for v in value if scope in json.dumps(v)), key=json.dumps)
    if method in NAME_LISTS and isinstance(value, dict):
        return {k: v for k, v in value.items() if scope in k}
    return value
