"""result.py FILE EXPRESSION...: FILE holds one SandboxResult as JSON and nothing else, and every
EXPRESSION over its fields holds. Beside the fields there are out and err, the decoded bytes of
both streams. Says what does not hold; exit status 1 then. Must not accept what a strict reader
would refuse: duplicate keys, NaN, text that is not UTF-8."""
import base64
import json
import sys

FIELDS = {
    "exit_code": int, "stdout": str, "stderr": str, "timed_out": bool, "output_truncated": bool,
    "error_message": str, "reason": str, "signal": (int, None), "backend": (str, None),
    "layers": dict, "duration_ms": int, "cpu_user_ms": (int, None), "cpu_system_ms": (int, None),
    "peak_memory_bytes": (int, None), "peak_pids": (int, None), "oom_kills": (int, None),
    "pids_refused": (int, None), "stdout_bytes": int, "stderr_bytes": int,
    "stdout_omitted": (dict, None), "stderr_omitted": (dict, None), "env_dropped": list,
}
OPTIONAL = {"stdout_encoding", "stderr_encoding"}
REASONS = {"exit", "signal", "wall_timeout", "cpu_timeout", "oom", "file_limit", "pids_limit",
           "output_limit", "seccomp", "cancelled", "launch_error"}
EARLY = {"cancelled", "wall_timeout"}  # the end may have come before the command was started


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("duplicate key")
    return dict(pairs)


def refuse(name):
    raise ValueError("not JSON: " + name)


def has_type(value, want):
    wants = want if isinstance(want, tuple) else (want,)
    return any(value is None if w is None else type(value) is w for w in wants)


def stream(r, name):
    encoding = r.get(name + "_encoding")
    if encoding is None:
        return r[name].encode()
    if encoding != "base64":
        raise ValueError("encoding " + encoding)
    return base64.b64decode(r[name], validate=True)


def check_omitted(r, name, data):
    gap = r[name + "_omitted"]
    if gap is None:
        if len(data) not in (0, r[name + "_bytes"]):
            yield name + "_bytes is wrong"
    elif set(gap) != {"at", "bytes"} or gap["bytes"] <= 0 or gap["at"] < 0:
        yield name + "_omitted is odd: %r" % gap
    elif not data:
        if gap["at"] + gap["bytes"] != r[name + "_bytes"]:
            yield "%s: %d streamed + %d omitted is not %d" % (name, gap["at"], gap["bytes"],
                                                              r[name + "_bytes"])
    elif gap["at"] > len(data):
        yield name + "_omitted is odd: %r" % gap
    elif len(data) + gap["bytes"] != r[name + "_bytes"]:
        yield "%s: kept %d + omitted %d is not %d" % (name, len(data), gap["bytes"],
                                                      r[name + "_bytes"])


def check(r):
    for name, want in FIELDS.items():
        if name not in r:
            yield "no field " + name
        elif not has_type(r[name], want):
            yield "%s has the wrong type: %r" % (name, r[name])
    for name in set(r) - set(FIELDS) - OPTIONAL:
        yield "unknown field " + name
    if r["reason"] not in REASONS:
        yield "unknown reason " + r["reason"]
    early = r["error_message"] != "" and r["exit_code"] == 1 and r["reason"] in EARLY
    if (r["error_message"] != "") != (r["reason"] == "launch_error") and not early:
        yield "reason %s with message %r" % (r["reason"], r["error_message"])
    if set(r["layers"]) != {"applied", "missing"}:
        yield "layers is odd"
    missing = [m["layer"] for m in r["layers"]["missing"]]
    if set(missing) & set(r["layers"]["applied"]):
        yield "a layer is both applied and missing"
    if not all(set(m) == {"layer", "why"} and m["why"] for m in r["layers"]["missing"]):
        yield "a missing layer has no reason: %r" % r["layers"]["missing"]


def main():
    with open(sys.argv[1], "rb") as f:
        text = f.read()
    try:
        r = json.loads(text.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse)
        if not text.endswith(b"}\n") or text.count(b"\n") != 1:
            raise ValueError("not one line")
        bad = list(check(r))
        names = dict(r, out=stream(r, "stdout"), err=stream(r, "stderr"))
        names["applied"] = r["layers"]["applied"]
        names["missing"] = {m["layer"]: m["why"] for m in r["layers"]["missing"]}
        for name, data in (("stdout", names["out"]), ("stderr", names["err"])):
            bad += check_omitted(r, name, data)
    except (ValueError, KeyError, TypeError) as e:
        print("# no SandboxResult: %s: %r" % (e, text[:300]), file=sys.stderr)
        return 1
    for expression in sys.argv[2:]:
        if not eval(expression, dict(names)):
            bad.append("does not hold: " + expression)
    for line in bad:
        print("# " + line, file=sys.stderr)
    if bad:
        print("# in %s" % text[:600].decode("utf-8", "replace").strip(), file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
