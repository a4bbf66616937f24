"""hostile_paths.py SBX_RUN SBPL FOLDER: files with hostile names, each hidden by a profile.

For every name the profile must hold the rules of an innocent name, with that name in their place;
or sbx must refuse and say so in one line. Prints what one of the names does when it is put into the
profile as it stands (the control), and counts.
"""
import json
import os
import random
import subprocess
import sys

sbx, sbpl, folder = sys.argv[1:]
INJECTION = b'x"))(allow default)(deny file-read* (literal "'
words = [b'"', b"\\", b"(", b")", b"'", b";", b"#", b"|", b" ", b"a", b"\xc3\xa9", b'\\"',
         INJECTION, b"%s", b"$(", b"-p", b"\xe2\x80\xae", b"\n", b"\x01", b"\x7f", b"\xff"]
weights = [4] * 17 + [1] * 4


def explain(path):
    done = subprocess.run([sbx, "-b", "sandbox_exec", "--root", folder, "--hide", path,
                           "--explain", "--json", "--", "true"], cwd=folder,
                          capture_output=True, check=False)
    if done.returncode != 0:
        assert done.returncode == 125 and done.stderr.count(b"\n") == 1, done.stderr
        assert b"control characters" in done.stderr or b"UTF-8" in done.stderr, done.stderr
        return None
    return json.loads(done.stdout)["profile"].encode()


def rules(profile):
    done = subprocess.run([sbpl, "check"], input=profile, capture_output=True, check=False)
    return done.returncode, done.stdout


def without_temp(text):
    """The private folder has another name each time: 16 digits."""
    first, *rest = text.split(b"/sbx-")
    return first + b"".join(b"/sbx-" + part[16:] for part in rest)


plain = os.path.join(os.fsencode(folder), b"PLAIN")
with open(plain, "wb"):
    innocent = explain(plain)
status, want = rules(innocent)
assert status == 0
simple = b"\n".join(line for line in innocent.split(b"\n")
                   if b"PLAIN" not in line or not line.startswith(b"(when"))
status, got = rules(simple.replace(b"PLAIN", INJECTION + b"/y"))
if status == 0 and got.count(b"\nallow default\n") > want.count(b"\nallow default\n"):
    print("control: injected")
random.seed(1)
taken = refused = 0
for _ in range(150):
    name = b"x" + b"".join(random.choices(words, weights, k=random.randint(1, 4)))
    path = os.path.join(os.fsencode(folder), name.replace(b"/", b""))
    with open(path, "wb"):
        profile = explain(path)
    os.unlink(path)
    if profile is None:
        refused += 1
        continue
    taken += 1
    status, got = rules(profile)
    assert status == 0, (path, got)
    assert without_temp(got) == without_temp(want.replace(plain, path)), (path, got)
os.unlink(plain)
print(f"taken: {taken} refused: {refused}")
