"""terminal.py SCRIPT COMMAND...: run COMMAND on a terminal of its own and act on it as SCRIPT says, then
print what it printed, "mode: same" or "mode: changed" (is the terminal as it was before?) and
"status: N". SCRIPT is words, split at ';':
  wait TEXT      until TEXT was printed (20 s at most)
  send TEXT      type it; \\x03 and such are understood
  size ROWS COLS change the window
  kill SIGNAL    to COMMAND itself
  sleep SECONDS
Must not hang: after 60 seconds everything is killed."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

text = b""


def pump(master, seconds):
    """Collect output for so long; False at its end."""
    global text
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([master], [], [], max(0, min(0.05, end - time.monotonic())))[0]:
            continue
        try:
            piece = os.read(master, 65536)
        except OSError:
            return False
        if not piece:
            return False
        text += piece
    return True


def wait_for(master, word):
    end = time.monotonic() + 20
    while word not in text and time.monotonic() < end:
        if not pump(master, 0.05):
            break
    if word not in text:
        print("never printed: %r" % word)


def set_size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def main():
    script, command = sys.argv[1], sys.argv[2:]
    signal.alarm(60)
    master, slave = pty.openpty()
    set_size(slave, 24, 80)
    before = termios.tcgetattr(slave)
    pid = os.fork()
    if pid == 0:
        os.close(master)
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(slave, fd)
        if slave > 2:
            os.close(slave)
        os.execvp(command[0], command)
    for step in filter(None, (s.strip() for s in script.split(";"))):
        verb, _, rest = step.partition(" ")
        if verb == "wait":
            wait_for(master, rest.encode())
        elif verb == "send":
            os.write(master, rest.encode().decode("unicode_escape").encode("latin-1"))
        elif verb == "size":
            set_size(master, *map(int, rest.split()))
        elif verb == "kill":
            os.kill(pid, getattr(signal, "SIG" + rest))
        elif verb == "sleep":
            pump(master, float(rest))
    status = None
    end = time.monotonic() + 30
    while status is None and time.monotonic() < end:
        pump(master, 0.05)
        done, raw = os.waitpid(pid, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(raw)
    if status is None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    pump(master, 0.1)
    after = termios.tcgetattr(slave)
    sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
    print("\nmode:", "same" if before == after else "changed")
    print("status:", "hung" if status is None else status)


main()
