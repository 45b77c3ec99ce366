"""Runs Python blocks of one page in one interpreter, as if they were pasted one after the other.

Reads one JSON object per line, {"name", "line", "code"}, and answers each with {"error"}: a traceback, or null.
Standard output of the blocks goes to standard error.
"""
import json
import os
import sys
import traceback

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
names = {"__name__": "__main__"}
for request in sys.stdin:
    block = json.loads(request)
    try:
        # Empty lines in front, so that tracebacks have the line numbers of the page.
        exec(compile("\n" * (block["line"] - 1) + block["code"], block["name"], "exec"), names)
        error = None
    except BaseException:
        error = traceback.format_exc()
    sys.stdout.flush()
    answers.write(json.dumps({"error": error}) + "\n")
    answers.flush()
