"""Prints "complete", or the code with which the Python verifier gives up a download: python3 download.py VERIFIER ADDRESS SECONDS"""

import importlib.util
import sys

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("verify_draw", sys.argv[1])
draw = importlib.util.module_from_spec(spec)
spec.loader.exec_module(draw)
draw.FILE_SECONDS = float(sys.argv[3])
try:
    draw.fetch(sys.argv[2])
    print("complete")
except draw.Refused as e:
    print(e.code)
