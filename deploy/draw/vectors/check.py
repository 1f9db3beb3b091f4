"""Runs the Python verifier on the vectors and recorded draws: python3 check.py [fuzz SEED COUNT]

`bundles.zip` has honest draws of every stage and planted cheats, made by two generators; its `expected.json` names the
verdict of each. Those of an early stage have no result, and their rounds are past: `withheld`.
"""

import contextlib
import functools
import io
import json
import pathlib
import random
import struct
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True

import verify_draw as draw  # noqa: E402

# The slowest steps depend on their arguments only, and the draws repeat them.
draw.bls_holds = functools.cache(draw.bls_holds)
draw.ed25519_holds = functools.cache(draw.ed25519_holds)

passed, failures = 0, []
vectors = json.loads((HERE / "vectors.json").read_text(encoding="utf-8"))


def same(name, given, expected):
    global passed
    if given == expected:
        passed += 1
    else:
        failures.append("FAILED %s: expected %s, not %s" % (name, expected, given))


def unhex(texts):
    return [bytes.fromhex(text) for text in texts]


def check_vectors():
    leaves, root = unhex(vectors["leaf"]), bytes.fromhex(vectors["entries_root"])
    same("leaf", draw.leaf_hash(vectors["entry_0"].encode()), leaves[0])
    same("entry", draw.parse_entry(vectors["entry_0"].encode())["draw"], vectors["draw"])
    same("entries root", draw.tree_root(leaves), root)
    same("prefix root", draw.Tree(leaves).root(8), root)
    proof = unhex(vectors["proof_of_entry_5"])
    same("proof", draw.inclusion_holds(5, 8, leaves[5], proof, root), True)
    same("proof of another index", draw.inclusion_holds(4, 8, leaves[5], proof, root), False)
    same("proof in another size", draw.inclusion_holds(5, 9, leaves[5], proof, root), False)
    same("rules hash", draw.sha256(b"fairgate-rules/1\n", vectors["rules_json"].encode()).hex(), vectors["rules_hash"])
    same("seal", draw.leaf_hash(vectors["seal"].encode()).hex(), vectors["seal_leaf"])
    beacon = vectors["beacon"]
    signature = bytes.fromhex(beacon["signature"])
    for later, valid in ((0, True), (1, False)):
        message = draw.sha256(struct.pack(">Q", beacon["round"] + later))
        same("beacon", draw.bls_holds(draw.QUICKNET["public_key"], message, signature), valid)
    seed = draw.seed_of(bytes.fromhex(vectors["seal_leaf"]), signature)
    same("seed", seed.hex(), vectors["seed"])
    lots = [draw.lot_of(seed, leaf) for leaf in leaves]
    same("lots", [lot.hex() for lot in lots], vectors["lot"])
    order = sorted(range(8), key=lambda i: (lots[i], leaves[i]))
    same("order", order, vectors["order"])
    rows = [struct.pack(">Q", r) + lots[i] + leaves[i] for r, i in enumerate(order)]
    same("result root", draw.tree_root([draw.leaf_hash(row) for row in rows]).hex(), vectors["result_root"])
    same("seats", draw.shuffled(seed, vectors["seats_label"].encode(), 10), vectors["seats_shuffle_10"])


def refusal(call, *arguments):
    """The code with which the call refuses; "malformed" for malformed texts, None if it accepts."""
    try:
        call(*arguments)
    except draw.Refused as e:
        return e.code
    except (draw.Malformed, ValueError):
        return "malformed"
    return None


def check_refusals(folder):
    entry = vectors["entry_0"].encode()
    same("entry with CRLF", refusal(draw.parse_entry, entry.replace(b"\n", b"\r\n")), "malformed")
    same("entry without the last line end", refusal(draw.parse_entry, entry[:-1]), "malformed")
    same("entry with an unknown line", refusal(draw.parse_entry, entry + b"more 1\n"), "malformed")
    same("entry with another base64", refusal(draw.parse_entry, entry.replace(b"2w=\nkey", b"2x=\nkey")), "malformed")
    same("number with a zero in front", refusal(draw.whole_number, "01"), "malformed")
    same("inner node as a leaf", draw.node_hash(entry[:32], entry[32:64]) == draw.leaf_hash(entry[:64]), False)
    with tarfile.open(folder / "honest-8.tar") as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar}
    key = draw.Key.parse(files["bundle"].decode().split("\n")[2][4:], 1)
    note = files["log/checkpoint"]
    line = next(line for line in note.split(b"\n") if key.name.encode() in line and line.startswith("\u2014".encode()))
    forged = draw.unbase64(line.split(b" ")[2].decode())
    forged = line[: line.rindex(b" ") + 1] + draw.base64.b64encode(forged[:-1] + bytes([forged[-1] ^ 1]))
    same("note", refusal(draw.open_note, note, key), None)
    same("note with a forged line of the key", refusal(draw.open_note, note + forged + b"\n", key), "bad_signature")
    other = forged.replace(key.name.encode(), b"other.example")
    same("note with a line of an unknown key", refusal(draw.open_note, note + other + b"\n", key), None)
    same("note without its signature", refusal(draw.open_note, note.replace(line, other), key), "bad_signature")
    rules = files["draws/demo-2026/rules.json"]
    for change in (rules.replace(b":", b": ", 1), rules.replace(b"lots/1", b"lots/2"), rules + b"\n", b"{" * 5000, b"[]"):
        same("rules %r" % change[:40], refusal(draw.Rules, change, key), "malformed")


def run(arguments):
    """The verdict and the exit status."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = draw.main(["--json", *arguments])
    return json.loads(out.getvalue()), status


def check_bundles(folder, expected):
    for case in expected["bundles"]:
        receipt = ["--receipt", str(folder / case["receipt"])] if case["receipt"] else []
        chains = ["--chain", case["chain"], "--chain", case.get("second_chain", case["chain"])]
        arguments = [*chains, *receipt, str(folder / case["file"])]
        verdict, status = run(arguments)
        same(case["file"], (verdict["code"], status), (case["code"], 0 if case["code"] == "ok" else 1))
        if case["code"] == "ok":
            same("light " + case["file"], run(["--light", *arguments])[0]["code"], "ok")
    some, chain = str(folder / "honest-8.tar"), expected["bundles"][0]["chain"]
    same("unknown chain", run([some])[0]["code"], "unknown_beacon")
    other = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    same("other log key", run(["--log-key", other, "--chain", chain, some])[0]["code"], "wrong_log_key")
    mine = ["--receipt", some.replace(".tar", ".receipt.tlog-proof"), "--chain", chain, some]
    same("person", run(["--person", "person2", *mine])[0]["code"], "ok")
    verdict, status = run(["--person", "person3", *mine])
    same("other person", (verdict["code"], status), ("not_mine", 2))
    same("short check", run(["--light", *mine])[0]["warnings"], ["light"])
    foreign = ["--receipt", str(folder / "other-honest-004-n8.tlog-proof"), "--chain", chain, some]
    verdict, status = run(foreign)
    same("receipt of another draw", (verdict["code"], status), ("receipt_of_another_draw", 2))
    forged = folder / "forged"
    forged.write_bytes((folder / "honest-8.receipt.tlog-proof").read_bytes().replace(b"\nindex ", b"\nindex 1"))
    verdict, status = run(["--receipt", str(forged), "--chain", chain, some])
    same("damaged receipt", (verdict["code"], status), ("unusable_receipt", 2))


def check_size(folder):
    """The record of a server is read up to a limit."""
    some = folder / "honest-8.tar"
    limit = draw.MAX_BUNDLE
    for size, code in ((some.stat().st_size, None), (some.stat().st_size - 1, "malformed_bundle")):
        draw.MAX_BUNDLE = size
        same("limit of %d" % size, refusal(draw.fetch, some.as_uri(), io.BytesIO(), lambda *_: None), code)
    draw.MAX_BUNDLE = limit


def check_clock(folder, expected):
    """A result is due 15 minutes after its round."""
    now = draw.clock
    for case in (case for case in expected["bundles"] if case["code"] == "withheld"):
        arguments = ["--chain", case["chain"], str(folder / case["file"])]
        due = run(arguments)[0]["time"] + 15 * 60
        for at, code in ((due - 1, "ok"), (due, "withheld")):
            draw.clock = functools.partial(int, at)
            for light in ([], ["--light"]):
                same("%s at %d" % (case["file"], at), run(light + arguments)[0]["code"], code)
                verdict, _ = run(["--receipt", str(folder / case["receipt"]), *light, *arguments])
                same("receipt at %d" % at, "unsealed" in verdict["warnings"], case["file"] == "honest-announced.tar")
        draw.clock = now


def mutated(chance, data):
    """The data with a change: cut, flipped, repeated or of other types."""
    if not data:
        return b"\0"
    at, kind = chance.randrange(len(data)), chance.randrange(7)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    if kind == 2:
        return data[:at] + data[at : at + 40] + data[at:]
    if kind == 3:
        return data[:at] + bytes(chance.randrange(256) for _ in range(8)) + data[at + 8 :]
    if kind == 4:
        wrong = [b"null", b"-1", b"1e3", b"[]", b'{"a":1}', b'"x"', b"9" * 400, b"true", "\ud55c".encode(), b"[" * 3000]
        return data.replace(data[at : at + 1], chance.choice(wrong), 1)
    if kind == 5:
        return data.replace(b"\n", b"\r\n", 1 + at % 3)
    lines = data.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def fuzz_bundles(folder, expected, seed, count):
    """Damaged input gives a verdict, and never an error of the program."""
    chance = random.Random(seed)
    damaged = folder / "damaged.tar"
    receipt = folder / "damaged.receipt"
    for at in range(count):
        case = chance.choice([c for c in expected["bundles"] if c["code"] == "ok" and c["receipt"]])
        data, proof = ((folder / case[name]).read_bytes() for name in ("file", "receipt"))
        if at % 3 == 0:
            data = mutated(chance, data)
        elif at % 3 == 1:
            proof = mutated(chance, proof)
        else:
            data = with_damaged_file(chance, data)
        damaged.write_bytes(data)
        receipt.write_bytes(proof)
        chains = ["--chain", case["chain"], "--chain", case.get("second_chain", case["chain"])]
        arguments = [*chains, "--receipt", str(receipt), str(damaged)]
        for light in ([], ["--light"]):
            verdict, status = run(light + arguments)
            detail = verdict.get("detail") or ""
            known = verdict["code"] in draw.CODES and not detail.startswith("defect")
            same("fuzz %d %s %s" % (at, case["file"], verdict), (known, status in (0, 1, 2)), (True, True))


def with_damaged_file(chance, data):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar}
    name = chance.choice(sorted(files))
    files[name] = mutated(chance, files[name])
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def fuzz_parsers(folder, seed, count):
    """Parsers refuse damaged texts as malformed."""
    chance = random.Random(seed)
    with tarfile.open(folder / "honest-8.tar") as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar}
    key = draw.Key.parse(files["bundle"].decode().split("\n")[2][4:], 1)
    leaves = list(draw.read_entries(Folder(files), "log", draw.parse_checkpoint(draw.parse_note(files["log/checkpoint"])[0])[1], lambda *_: None))
    parsers = [
        (lambda data: draw.Leaf(0, data), leaves),
        (draw.parse_entry, [vectors["entry_0"].encode(), vectors["entry_0"].encode() + b"qty 2\ntier 1\n"]),
        (lambda data: draw.Rules(data, key), [files["draws/demo-2026/rules.json"]]),
        (draw.parse_chain, [files["draws/demo-2026/chain.json"]]),
        (draw.parse_allotments, [files["draws/demo-2026/allotments"]]),
        (draw.parse_note, [files["log/checkpoint"]]),
        (draw.parse_proof, [files["draws/demo-2026/seal.tlog-proof"]]),
    ]
    for _ in range(count):
        for parse, seeds in parsers:
            data = mutated(chance, chance.choice(seeds))
            try:
                parse(data)
            except (draw.Malformed, ValueError, RecursionError):
                pass
            except Exception as e:  # noqa: BLE001
                same("parser %s of %r" % (parse, data), repr(e), "malformed")
    same("parsers", True, True)


class Folder:
    def __init__(self, files):
        self.files = files

    def read(self, path):
        return self.files[path]


with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    zipfile.ZipFile(HERE / "bundles.zip").extractall(place)
    wanted = json.loads((place / "expected.json").read_text(encoding="utf-8"))
    if sys.argv[1:2] == ["fuzz"]:
        fuzz_bundles(place, wanted, int(sys.argv[2]), int(sys.argv[3]))
        fuzz_parsers(place, int(sys.argv[2]), 10 * int(sys.argv[3]))
    else:
        check_vectors()
        check_refusals(place)
        check_bundles(place, wanted)
        check_size(place)
        check_clock(place, wanted)
print("\n".join(failures))
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
