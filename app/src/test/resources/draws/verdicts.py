"""Prints the verdict of the Python verifier on each case: python3 verdicts.py VERIFIER CASES

A case is a line of JSON: file, receipt (a path or ""), chains, light.
"""

import contextlib
import functools
import importlib.util
import io
import json
import sys

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("verify_draw", sys.argv[1])
draw = importlib.util.module_from_spec(spec)
spec.loader.exec_module(draw)
# The slowest steps depend on their arguments only, and cases repeat them.
draw.bls_holds = functools.cache(draw.bls_holds)
draw.ed25519_holds = functools.cache(draw.ed25519_holds)


def verdict(case):
    arguments = ["--json", *(word for chain in case["chains"] for word in ("--chain", chain))]
    if case["light"]:
        arguments.append("--light")
    if case["receipt"]:
        arguments += ["--receipt", case["receipt"]]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        draw.main([*arguments, case["file"]])
    found = json.loads(out.getvalue())
    if str(found.get("detail", "")).startswith("defect"):
        return {"code": "defect", "detail": found["detail"]}
    known = {name: found.get(name) or "" for name in ("code", "stage", "seed", "result_root")}
    absent = " ".join(found.get("absent", {}).values())
    return {**known, "warnings": found["warnings"], "absent": absent}


with open(sys.argv[2], encoding="utf-8") as cases:
    for line in cases:
        print(json.dumps(verdict(json.loads(line))), flush=True)
