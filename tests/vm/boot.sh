# shellcheck shell=sh
# Booting a kernel of kernels.lock in QEMU with the initramfs of image.sh; source it after tap.sh.
#
#	vm_boot ARCH KERNEL SUITE [WORD...]
#
# boots with WORDs on the kernel command line; every assertion of the guest becomes one here. What
# this machine lacks is a skip with its reason. By hand, with the console on the terminal:
# VM_SHOW=1 tests/vm/x86_64-6.12.t
#
# KVM is never used: the same instructions everywhere, also where /dev/kvm is not ours.

SBX_VM=${SBX_VM:-$SBX_ROOT/build/vm}
VM_SECONDS_MAX=400 # a boot takes some ten on an idle machine
VM_PASSED=33       # tests/vm/guest/guest.h

# vm_emulator ARCH: print the emulator and its machine, as words.
vm_emulator() {
	exit_x86='-device isa-debug-exit,iobase=0xf4,iosize=0x04'
	exit_arm='-semihosting-config enable=on,target=native,userspace=on'
	case $1 in
	x86_64) echo "qemu-system-x86_64 -cpu max $exit_x86" ;;
	aarch64) echo "qemu-system-aarch64 -M virt -cpu cortex-a57 $exit_arm" ;;
	riscv64) echo "qemu-system-riscv64 -M virt -cpu rv64 $exit_arm" ;;
	*) bail "no machine for $1" ;;
	esac
}

vm_package() {
	case $1 in
	x86_64) echo qemu-system-x86 ;;
	aarch64) echo qemu-system-arm ;;
	*) echo qemu-system-misc ;;
	esac
}

# vm_lacks ARCH KERNEL: print what is missing for a boot; nothing: it can boot.
vm_lacks() {
	emulator=$(vm_emulator "$1")
	if ! command -v "${emulator%% *}" >/dev/null 2>&1; then
		echo "${emulator%% *} is missing (apt-get install $(vm_package "$1"))"
	elif [ ! -e "$SBX_VM/$1-$2/vmlinuz" ]; then
		echo "no kernel $2 for $1: $(cat "$SBX_VM/$1-$2.why" 2>/dev/null || echo 'make test-vm brings it')"
	elif [ ! -e "$SBX_VM/$1.cpio.gz" ]; then
		echo "no sbx for $1: a cross compiler is missing, or cpio (tests/lib/deps.sh vm)"
	fi
}

# vm_run ARCH KERNEL SUITE [WORD...]: the console goes to $tmp/console; QEMU's status.
vm_run() {
	vm_arch=$1 vm_kernel=$2 vm_suite=$3
	shift 3
	console=ttyS0
	[ "$vm_arch" != aarch64 ] || console=ttyAMA0
	words="console=$console quiet loglevel=1 panic=-1 $* -- $vm_suite"
	# shellcheck disable=SC2046 # words
	timeout -k 10 "$VM_SECONDS_MAX" $(vm_emulator "$vm_arch") -accel tcg -m 512 -nodefaults -display none \
		-no-reboot -serial stdio -kernel "$SBX_VM/$vm_arch-$vm_kernel/vmlinuz" \
		-initrd "$SBX_VM/$vm_arch.cpio.gz" -append "$words" </dev/null >"$tmp/raw" 2>&1
	vm_status=$?
	tr -d '\r' <"$tmp/raw" >"$tmp/console"
	return "$vm_status"
}

# vm_row PLACE|BACKEND|MISSING: a row of the README's table, which has it; with SBX_PLACES_TABLE=FILE
# it is added to FILE. All kernels have the same rows: what they differ in is not told there.
vm_row() {
	vm_line=$(printf '%s\n' "$1" | awk -F'|' '{
		n = split($3, words, " ")
		for (i = 1; i <= n; i++) has[words[i]] = 1
		if (has["user_ns"] && has["mount_ns"] && has["pid_ns"]) {
			list = ", every namespace"
			for (i = 1; i <= n; i++) if (words[i] ~ /_ns$/) delete has[words[i]]
		}
		m = split("capabilities landlock metadata no_new_privs proc seccomp user_ns view", all, " ")
		for (i = 1; i <= m; i++) if (has[all[i]]) list = list ", `" all[i] "`"
		printf "| %s | `%s` | %s |\n", $1, $2, list == "" ? "nothing" : substr(list, 3)
	}')
	[ -z "${SBX_PLACES_TABLE:-}" ] || printf '%s\n' "$vm_line" >>"$SBX_PLACES_TABLE"
	ok "$vm_label: the README tells it" grep -qxF -e "$vm_line" "$SBX_ROOT/README.md"
}

# vm_tell PREFIX: the guest's assertions as ours, and its remarks about those that failed.
vm_tell() {
	while IFS= read -r line; do
		case $line in
		'ok '* | 'not ok '*)
			vm_name=${line#*' - '}
			case $line in
			ok*) tap_result 0 "$1: $vm_name" ;;
			*) tap_result 1 "$1: $vm_name" || : ;;
			esac
			;;
		'# row: '*) vm_row "${line#'# row: '}" ;;
		'# '*) diag "$1: ${line#\# }" ;;
		esac
	done <"$tmp/console"
}

# vm_boot ARCH KERNEL SUITE [WORD...]
vm_boot() {
	vm_label="$1 $2 $3"
	vm_why=$(vm_lacks "$1" "$2")
	if [ -n "$vm_why" ]; then
		skip "$vm_label: $vm_why"
		return
	fi
	vm_rc=0
	vm_run "$@" || vm_rc=$?
	[ "${VM_SHOW:-0}" != 1 ] || sed 's/^/# /' "$tmp/console"
	vm_tell "$vm_label"
	count=$(grep -c -E '^(not )?ok ' "$tmp/console")
	is "$(grep -E '^1\.\.[0-9]+$' "$tmp/console" | tail -n 1)" "1..$count" \
		"$vm_label: the suite came to its end, and every line of it came through" ||
		diag "the last lines of the console: $(tail -n 20 "$tmp/console")"
	is "$vm_rc" "$VM_PASSED" "$vm_label: the machine ends with the verdict of the suite"
	diag "$vm_label: kernel $(cat "$SBX_VM/$1-$2/release"), $count assertions"
}
