# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Unpacks a kernel: writes the vmlinux (ELF) that a vmlinuz contains. QEMU boots
vmlinux by its PVH entry. Under emulation a vmlinuz would take longer to unpack
itself than the kernel takes to boot.

usage: vmlinux.py VMLINUZ VMLINUX. Exit status 1: the kernel has no PVH entry, or
is compressed by another method than xz, gzip and zstd.
"""

import lzma
import os
import struct
import subprocess
import sys
import zlib

PVH_NOTE = struct.pack("<I", 18) + b"Xen\0"


def payload(image):
    """Returns the compressed kernel of a vmlinuz. The setup header of the x86 boot
    protocol tells its place since version 2.08."""
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
        # The kernel's build appends the unpacked size (4 bytes).
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
