#include "exec/filter_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCH_NATIVE AUDIT_ARCH_X86_64
#define IOCTL_SECOND (0x40000000 + 514) /* the x32 calling convention */
#elif defined(__aarch64__)
#define ARCH_NATIVE AUDIT_ARCH_AARCH64
#define IOCTL_SECOND __NR_ioctl
#else
#error "name this machine's AUDIT_ARCH here"
#endif
/* ioctl of the 32-bit programs that these machines also run: i386 and arm. */
#define IOCTL_FOREIGN 54

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, then, otherwise)                                                           \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))

/* The request is a 32-bit number to the kernel: the low half of the second
 * argument, first in memory on these little-endian machines. */
int filter_calls_install(struct error *err)
{
	static struct sock_filter code[] = {
		LOAD(arch),
		IF_EQUAL(ARCH_NATIVE, 0, 4),
		LOAD(nr),
		IF_EQUAL(__NR_ioctl, 4, 0),
		IF_EQUAL(IOCTL_SECOND, 3, 0),
		RETURN(SECCOMP_RET_ALLOW),
		LOAD(nr), /* another architecture */
		IF_EQUAL(IOCTL_FOREIGN, 0, 4),
		LOAD(args[1]), /* an ioctl */
		IF_EQUAL(TIOCSTI, 1, 0),
		IF_EQUAL(TIOCLINUX, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		RETURN(SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog program = {sizeof code / sizeof *code, code};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot filter system calls");
	return 0;
}
