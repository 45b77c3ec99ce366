"""Runs the steps of one scenario against one server."""
import time

from masks import mask, scoped


class Run:
    """Resolves variables in arguments, masks answers, and cleans up."""

    def __init__(self, server, scope):
        self.server, self.scope, self.vars = server, scope, {}

    def resolve(self, value):
        """Replaces `{"$now": offset}` and `{"$var": name}` in arguments."""
        if isinstance(value, dict):
            if "$now" in value:
                return int(time.time() * 1000) + value["$now"]
            if "$var" in value:
                return self.vars.get(value["$var"], -1)
            return {k: self.resolve(v) for k, v in value.items()}
        return [self.resolve(v) for v in value] if isinstance(value, list) else value

    def call(self, name, args, save=None):
        """Makes a call; returns its masked answer. `save` is the name under which later steps refer to the result."""
        dialect, method = name.split(".")
        kind, value = self.server.call(dialect, method, self.resolve(args))
        if save and kind == "returns":
            self.vars[save] = value
            return kind, "$" + save
        if kind == "returns":
            value = mask(scoped(method, value, self.scope), now=int(time.time() * 1000))
        return kind, value

    def wipe(self):
        """Drops all tables, then all namespaces, whose names contain the scope."""
        kind, names = self.server.call("t1", "getTableNames", {})
        for name in names if kind == "returns" else []:
            if self.scope in name:
                self.server.call("t1", "disableTable", {"tableName": name})
                self.server.call("t1", "deleteTable", {"tableName": name})
        kind, spaces = self.server.call("t2", "listNamespaces", {})
        for name in spaces if kind == "returns" else []:
            if self.scope in name:
                self.server.call("t2", "deleteNamespace", {"name": name})
