"""macho.py PROCESSOR FILE: is it a program for macOS that a stock system starts?

PROCESSOR is aarch64 or x86_64. Prints what is wrong, one line each; exit status 1 then. The layout
is that of <mach-o/loader.h> and <mach-o/nlist.h>. Nothing is run.
"""
import struct
import sys

MAGIC_64 = 0xFEEDFACF
CPU = {"aarch64": 0x0100000C, "x86_64": 0x01000007}
EXECUTE = 2
FLAG_NOUNDEFS, FLAG_TWOLEVEL, FLAG_ALLOW_STACK_EXECUTION, FLAG_PIE = 0x1, 0x80, 0x20000, 0x200000
LC_SYMTAB, LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB = 0x2, 0xC, 0x80000018
LC_LOAD_DYLINKER, LC_SEGMENT_64, LC_CODE_SIGNATURE = 0xE, 0x19, 0x1D
LC_RPATH, LC_BUILD_VERSION, LC_MAIN, LC_REEXPORT_DYLIB = 0x8000001C, 0x32, 0x80000028, 0x8000001F
PLATFORM_MACOS = 1
N_STAB, N_TYPE, N_UNDF, N_EXT = 0xE0, 0x0E, 0x0, 0x1
PROT_WRITE, PROT_EXECUTE = 2, 4
NEWEST_MINOS = (11, 99, 99)
SYSTEM = "/usr/lib/libSystem.B.dylib"
# Ways to start a shell or an unbounded copy, which this program does not have.
BANNED = {"_system", "_popen", "_gets", "_strcat", "_vsprintf", "_tmpnam", "_mktemp"}


def text_at(data, start, end):
    return data[start:end].split(b"\0", 1)[0].decode()


def commands(data):
    count, at = struct.unpack_from("<I", data, 16)[0], 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", data, at)
        yield kind, at, size
        at += size


def undefined(data, at):
    """(name, number of its library) of every symbol that is somebody else's; and debug entries."""
    symoff, count, stroff = struct.unpack_from("<III", data, at + 8)
    others, debug = [], 0
    for i in range(count):
        strx, kind, _, desc, _ = struct.unpack_from("<IBBHQ", data, symoff + 16 * i)
        name = text_at(data, stroff + strx, stroff + strx + 256)
        if kind & N_STAB:
            debug += 1
        elif kind & N_TYPE == N_UNDF and kind & N_EXT:
            others.append((name, desc >> 8 & 0xFF))
    return others, debug


def wrongs(processor, data):
    magic, cpu, _, filetype = struct.unpack_from("<IIII", data)
    flags = struct.unpack_from("<I", data, 24)[0]
    if magic != MAGIC_64:
        yield "is no 64-bit Mach-O"
        return
    if cpu != CPU[processor]:
        yield f"is for another processor: {cpu:#x}"
    if filetype != EXECUTE:
        yield "is no program"
    if not flags & FLAG_PIE:
        yield "is not position independent"
    if not flags & FLAG_NOUNDEFS or not flags & FLAG_TWOLEVEL:
        yield "binds symbols by name only"
    if flags & FLAG_ALLOW_STACK_EXECUTION:
        yield "has an executable stack"
    libraries, platform, others, debug, kinds = [], None, [], 0, set()
    for kind, at, size in commands(data):
        kinds.add(kind)
        if kind in (LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB):
            libraries.append(text_at(data, at + struct.unpack_from("<I", data, at + 8)[0],
                                     at + size))
        elif kind == LC_BUILD_VERSION:
            platform, minos = struct.unpack_from("<II", data, at + 8)
            if (minos >> 16, minos >> 8 & 0xFF, minos & 0xFF) > NEWEST_MINOS:
                yield f"wants a newer system than macOS 11: {minos:#x}"
        elif kind == LC_SEGMENT_64:
            prot = struct.unpack_from("<II", data, at + 56)
            if any(p & PROT_WRITE and p & PROT_EXECUTE for p in prot):
                yield "has a writable and executable segment"
        elif kind == LC_LOAD_DYLINKER:
            if text_at(data, at + 12, at + size) != "/usr/lib/dyld":
                yield "is not loaded by dyld"
        elif kind == LC_SYMTAB:
            others, debug = undefined(data, at)
    if platform != PLATFORM_MACOS:
        yield f"is not built for macOS: platform {platform}"
    if libraries != [SYSTEM]:
        yield f"needs other libraries than libSystem: {libraries}"
    if LC_RPATH in kinds:
        yield "looks for libraries in folders of its own"
    if LC_MAIN not in kinds:
        yield "has no entry"
    if processor == "aarch64" and LC_CODE_SIGNATURE not in kinds:
        yield "has no signature, without which an arm64 program is not started"
    if debug:
        yield f"has debug information: {debug} entries"
    if not others:
        yield "takes nothing of libSystem"
    for name, library in others:
        if library != 1:
            yield f"takes {name} from library {library}"
        if name in BANNED:
            yield f"uses {name[1:]}"


def main():
    processor, path = sys.argv[1:]
    with open(path, "rb") as f:
        data = f.read()
    found = list(wrongs(processor, data))
    for line in found:
        print(f"{path}: {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
