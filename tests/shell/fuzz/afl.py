#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Has ibvet's mutator for AFL++ change a program some times, as AFL++ would:
afl.py LIBRARY SEED TIMES PROGRAM [OTHER]; each result is a file 0.ibv, 1.ibv, ..."""
import ctypes
import sys
from pathlib import Path

MOST = 16384


def mutator(library):
    lib = ctypes.CDLL(library)
    lib.afl_custom_init.restype = ctypes.c_void_p
    lib.afl_custom_init.argtypes = [ctypes.c_void_p, ctypes.c_uint]
    lib.afl_custom_fuzz.restype = ctypes.c_size_t
    lib.afl_custom_fuzz.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
        ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t,
        ctypes.c_size_t]
    lib.afl_custom_deinit.restype = None
    lib.afl_custom_deinit.argtypes = [ctypes.c_void_p]
    return lib


def main():
    library, seed, times, program = sys.argv[1:5]
    text = Path(program).read_bytes()
    other = Path(sys.argv[5]).read_bytes() if len(sys.argv) > 5 else None
    lib = mutator(library)
    state = lib.afl_custom_init(None, int(seed))
    for i in range(int(times)):
        out = ctypes.c_void_p()
        n = lib.afl_custom_fuzz(state, text, len(text), ctypes.byref(out),
                                other, len(other or b""), MOST)
        Path(f"{i}.ibv").write_bytes(ctypes.string_at(out.value, n))
    lib.afl_custom_deinit(state)


main()
