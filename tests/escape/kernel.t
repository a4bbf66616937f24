#!/bin/sh
# Attacks on the kernel's surface: 11-18, 22, 23, 30-40.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/escape/lib.sh"

numbers=11,12,14,15,16,17,18,22,23,30,31,33,34,35,36,37,38,39,40,13

# What a kernel may have been built without, or has only on some machines.
known='
15.kexec_load a kernel without kexec
15.kexec_file_load a kernel without kexec
15.init_module a kernel without modules
15.finit_module a kernel without modules
15.delete_module a kernel without modules
15.lookup_dcookie gone since Linux 6.3
15.ioperm x86 with CONFIG_X86_IOPL_IOPERM only
15.iopl x86 with CONFIG_X86_IOPL_IOPERM only
15.modify_ldt x86 only
15.nfsservctl gone since Linux 3.1
15.uselib gone since Linux 6.3, or not configured
15._sysctl gone since Linux 5.5
17.query-refused no attack: asking must work
22.listener a kernel before 5.5 cannot continue the call
23.int80-getpid a kernel without the i386 entry
23.int80-unshare a kernel without the i386 entry
23.x32-unshare a kernel without x32
36.kernel/modprobe a kernel without modules
36.fs/binfmt_misc/register not mounted
36/proc/sysrq-trigger a kernel without sysrq
36/proc/acpi/wakeup no such hardware
36/proc/scsi/scsi no such hardware
36/proc/mtrr no such hardware
36/proc/bus/pci/devices no such hardware, or read-only
36.uid_map written once, by the kernel for the first namespace
36.attr-exec no security module that takes the text
36.oom_score_adj root without CAP_SYS_RESOURCE
37/proc/kcore not configured
37/proc/sched_debug moved to debugfs in Linux 5.13
37/proc/kpagecgroup no page has a group
37/sys/kernel/debug/sched/debug debugfs is not mounted
37/sys/firmware/acpi/tables/DSDT no such hardware
37/proc/modules a kernel without modules
37/proc/slabinfo not configured
37/proc/kpageflags not configured
37/proc/kpagecount not configured
38.procs the hierarchies lie below
'
for node in fuse kvm loop0 loop-control net/tun vsock vhost-net mem port vda ttyS0 tty0 console \
	userfaultfd hwrng autofs zram0 vga_arbiter cpu_dma_latency cpu/0/msr rtc0 kmsg; do
	known="$known
40.$node no such device here, or busy"
done
for group in memory pids cpu devices freezer unified systemd; do
	known="$known
38.$group/procs this hierarchy is not mounted
38.$group/mkdir this hierarchy is not mounted"
done
known="$known
38.release_agent version 1 is not mounted
38.memory-limit version 1 is not mounted
38.mkdir version 1: the root is a tmpfs"

build_folders root
start_victim root
# 31 with a terminal of our own, where root may push input without any setting (ioctl_tty(2)).
wrap="$attack pty"
control root "$numbers" <<END
$known
END
like "$(cat "$lines")" 'pty: [1-9][0-9]* bytes were typed' \
	'control: injected input waits for the next reader'
wrap=''
stop_victim

# With this one defence switched off the same calls come through: it is the filter that refuses.
build_folders "$tap_user"
sbx user namespace --seccomp none -- "$work/project/attack" 11,16,17,22
for attempt in 11.unshare-user 11.clone-user 11.clone3-plain 16.setup 17.no-randomize \
	22.allow-all; do
	like "$(cat "$lines")" "^succeeded: $attempt " "control: $attempt works with --seccomp none"
done

# 32: bytes for a terminal are data in a result.
escape_bytes='\033]52;c;QUJD\007\033P$q"p\033\\\\'
like "$(printf "$escape_bytes" | tr '\033' '%')" '%.52' 'control: the escape sequence is there'

extra_asserts() {
	# 31 again where the command has a terminal: the relay's, never the caller's.
	wrap="$attack pty"
	attack_in "$1" "$2" 31 --tty
	wrap=''
	like "$(cat "$lines")" 'pty: 0 bytes were typed' "$label: 31 nothing is typed outside"
	world_run "$1" "$sbx_run" -b "$2" --root "$work/project" --json -- \
		/usr/bin/printf "$escape_bytes" >"$work/out/json" 2>/dev/null
	like "$(cat "$work/out/json")" 'u001b.?52' "$label: 32 the sequence is in the result"
	is "$(tr -dc '\033\007' <"$work/out/json" | wc -c)" 0 "$label: 32 and it is not raw"
}

attack_everywhere "$numbers"

done_testing
