"""Runs the Python verifier on the vectors: python3 check.py"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True

import fairgate_verify  # noqa: E402

vectors = json.loads((HERE / "vectors.json").read_text(encoding="utf-8"))
failures = total = 0
# With the package `cryptography` if it is installed, and always without it.
for ec in {fairgate_verify.ec, None}:
    fairgate_verify.ec = ec
    for case in vectors["passes"]:
        total += 1
        verdict = fairgate_verify.verify_pass(
            case["token"], vectors["room"], vectors["keys"], vectors["epoch"], vectors["now"], set(vectors["revoked"])
        )
        given = "ok" if verdict["ok"] else verdict["reason"]
        if given != case["expected"]:
            failures += 1
            print(f"FAILED {case['name']}: expected {case['expected']}, not {given}")
print(f"{total - failures} passed, {failures} failed")
sys.exit(1 if failures else 0)
