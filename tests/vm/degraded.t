#!/bin/sh
# Kernels that lack something, by their command line: what is left is used, what is missing is told.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/vm/boot.sh"

no_landlock=lsm=lockdown,yama,apparmor
no_userns=sysctl.user.max_user_namespaces=0
for kernel in 6.1 7.2; do
	vm_boot x86_64 "$kernel" no-landlock $no_landlock
	vm_boot x86_64 "$kernel" no-userns $no_userns
done
vm_boot x86_64 6.12 no-userns-for-users sysctl.kernel.unprivileged_userns_clone=0
vm_boot x86_64 6.12 no-memory cgroup_disable=memory
vm_boot x86_64 6.12 nothing $no_landlock $no_userns
done_testing
