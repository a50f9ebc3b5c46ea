# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Takes the kernel out of its compressed image: under emulation it needs
longer to unpack itself than to boot. Exit status 1: this kernel has no entry
for being started without its image (PVH), or is packed in another way."""

import lzma
import os
import struct
import subprocess
import sys
import zlib

PVH_NOTE = struct.pack("<I", 18) + b"Xen\0"


def payload(image):
    """The boot protocol's header says where it is, from 2.08 on."""
    sectors, version = image[0x1F1] or 4, struct.unpack_from("<H", image, 0x206)[0]
    if image[0x202:0x206] != b"HdrS" or version < 0x208:
        return b""
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (sectors + 1) * 512 + offset
    return image[start : start + length]


def unpack(data):
    if data.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor().decompress(data)
    if data.startswith(b"\x1f\x8b\x08"):
        return zlib.decompressobj(31).decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        # Behind the data stands their size.
        return subprocess.run(
            ["zstd", "-qdc"], input=data[:-4], stdout=subprocess.PIPE, check=True
        ).stdout
    return b""


def main(image, out):
    with open(image, "rb") as file:
        kernel = unpack(payload(file.read()))
    if not kernel.startswith(b"\x7fELF") or PVH_NOTE not in kernel:
        return 1
    part = "%s.%d" % (out, os.getpid())
    with open(part, "wb") as file:
        file.write(kernel)
    os.replace(part, out)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
