/*
 * The end of a virtual machine with an exit status: isa-debug-exit on x86 (QEMU's status is
 * value * 2 + 1), semihosting SYS_EXIT_EXTENDED on the others (the status itself).
 */
#include <sys/reboot.h>
#include <termios.h>
#include <unistd.h>

#include "guest.h"

#define SEMIHOSTING_EXIT_EXTENDED 0x20L
#define SEMIHOSTING_APPLICATION_EXIT 0x20026L

#if defined(__x86_64__)

#include <sys/io.h>

#define DEBUG_EXIT_PORT 0xf4

static void machine_exit(int status)
{
	if (ioperm(DEBUG_EXIT_PORT, 1, 1) == 0)
		outb((unsigned char)((status - 1) / 2), DEBUG_EXIT_PORT);
}

#elif defined(__aarch64__)

static void machine_exit(int status)
{
	long block[2] = { SEMIHOSTING_APPLICATION_EXIT, status };
	register long op __asm__("x0") = SEMIHOSTING_EXIT_EXTENDED;
	register long *arg __asm__("x1") = block;

	__asm__ volatile("hlt #0xf000" : "+r"(op) : "r"(arg) : "memory");
}

#elif defined(__riscv)

static void machine_exit(int status)
{
	long block[2] = { SEMIHOSTING_APPLICATION_EXIT, status };
	register long op __asm__("a0") = SEMIHOSTING_EXIT_EXTENDED;
	register long *arg __asm__("a1") = block;

	/* three uncompressed instructions in one page: the marks that QEMU looks for */
	__asm__ volatile(".balign 16\n.option push\n.option norvc\nslli x0, x0, 0x1f\nebreak\n"
			 "srai x0, x0, 7\n.option pop"
			 : "+r"(op)
			 : "r"(arg)
			 : "memory");
}

#else

static void machine_exit(int status)
{
	(void)status; /* QEMU then ends with 0, which is none of ours */
}

#endif

_Noreturn void vm_exit(bool has_passed)
{
	(void)tcdrain(STDOUT_FILENO);
	(void)tcdrain(STDERR_FILENO);
	machine_exit(has_passed ? VM_PASSED : VM_FAILED);
	(void)reboot(RB_POWER_OFF);
	for (;;)
		(void)pause();
}
