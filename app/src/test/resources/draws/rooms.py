"""Prints what the Python verifier finds about the draw of each room: python3 rooms.py VERIFIER CHAIN,CHAIN TICKET ADDRESS..."""

import functools
import importlib.util
import sys

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("verify_draw", sys.argv[1])
draw = importlib.util.module_from_spec(spec)
spec.loader.exec_module(draw)
# The slowest steps depend on their arguments only, and rooms repeat them.
draw.bls_holds = functools.cache(draw.bls_holds)
draw.ed25519_holds = functools.cache(draw.ed25519_holds)

chains = [word for chain in sys.argv[2].split(",") for word in ("--chain", chain)]
for address in sys.argv[4:]:
    draw.main(["--json", *chains, "--ticket", sys.argv[3], address])
