#include "exec/filter_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH_NATIVE AUDIT_ARCH_X86_64
#define X32_FIRST 0x40000000
#define IOCTL_SECOND (0x40000000 + 514) /* the x32 calling convention */
#elif defined(__aarch64__)
#define ARCH_NATIVE AUDIT_ARCH_AARCH64
#define X32_FIRST 0x40000000
#define IOCTL_SECOND __NR_ioctl
#else
#error "name this machine's AUDIT_ARCH here"
#endif
/* ioctl of the 32-bit programs that these machines also run: i386 and arm. */
#define IOCTL_FOREIGN 54

enum {
	NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
		     CLONE_NEWPID | CLONE_NEWNET,
	CODE_MAX = 160
};

static const unsigned denied[] = {__NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot,
	__NR_move_mount, __NR_open_tree, __NR_fsopen, __NR_fsconfig, __NR_fsmount, __NR_fspick,
	__NR_mount_setattr, __NR_setns, __NR_open_by_handle_at, __NR_keyctl, __NR_add_key,
	__NR_request_key, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_io_uring_setup,
	__NR_io_uring_enter, __NR_io_uring_register, __NR_kexec_load, __NR_init_module,
	__NR_finit_module, __NR_delete_module, __NR_swapon, __NR_swapoff, __NR_reboot, __NR_acct,
	__NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_pidfd_getfd};

struct code {
	struct sock_filter list[CODE_MAX];
	unsigned short n;
};

static void add(struct code *c, struct sock_filter instruction)
{
	c->list[c->n++] = instruction;
}

static void load(struct code *c, size_t offset)
{
	add(c, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void jump(struct code *c, unsigned kind, unsigned value, int then, int otherwise)
{
	add(c, (struct sock_filter)BPF_JUMP(BPF_JMP | kind | BPF_K, value, (unsigned char)then,
		       (unsigned char)otherwise));
}

static void result(struct code *c, unsigned value)
{
	add(c, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value));
}

/* Numbers are 32 bits wide to the kernel where it matters here: the low half of the
 * argument, first in memory on these little-endian machines. */
static void deny_typing(struct code *c, unsigned call)
{
	load(c, offsetof(struct seccomp_data, nr));
	jump(c, BPF_JEQ, call, 0, 4);
	load(c, offsetof(struct seccomp_data, args[1]));
	jump(c, BPF_JEQ, TIOCSTI, 1, 0);
	jump(c, BPF_JEQ, TIOCLINUX, 0, 1);
	result(c, SECCOMP_RET_ERRNO | EPERM);
}

static void deny_namespaces(struct code *c, unsigned call)
{
	load(c, offsetof(struct seccomp_data, nr));
	jump(c, BPF_JEQ, call, 0, 3);
	load(c, offsetof(struct seccomp_data, args[0]));
	jump(c, BPF_JSET, NAMESPACES, 0, 1);
	result(c, SECCOMP_RET_ERRNO | EPERM);
}

static void deny_more(struct code *c)
{
	deny_namespaces(c, __NR_clone);
	deny_namespaces(c, __NR_unshare);
	load(c, offsetof(struct seccomp_data, nr));
	jump(c, BPF_JEQ, __NR_clone3, 0, 1);
	result(c, SECCOMP_RET_ERRNO | ENOSYS);
	for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
		jump(c, BPF_JEQ, denied[i], 0, 1);
		result(c, SECCOMP_RET_ERRNO | EPERM);
	}
}

static void make(struct code *c, int sandboxed)
{
	c->n = 0;
	load(c, offsetof(struct seccomp_data, arch));
	if (sandboxed) {
		jump(c, BPF_JEQ, ARCH_NATIVE, 1, 0);
		result(c, SECCOMP_RET_ERRNO | ENOSYS);
		load(c, offsetof(struct seccomp_data, nr));
		jump(c, BPF_JGE, X32_FIRST, 0, 1);
		result(c, SECCOMP_RET_ERRNO | ENOSYS);
		deny_typing(c, __NR_ioctl);
		deny_more(c);
	} else {
		jump(c, BPF_JEQ, ARCH_NATIVE, 7, 0);
		deny_typing(c, IOCTL_FOREIGN);
		result(c, SECCOMP_RET_ALLOW);
		deny_typing(c, __NR_ioctl);
		deny_typing(c, IOCTL_SECOND);
	}
	result(c, SECCOMP_RET_ALLOW);
}

int filter_calls_install(int sandboxed, struct error *err)
{
	struct code c;
	struct sock_fprog program = {.filter = c.list};

	make(&c, sandboxed);
	program.len = c.n;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot filter system calls");
	return 0;
}

int filter_calls_file(struct error *err)
{
	int fd = memfd_create("filter", MFD_CLOEXEC);
	struct code c;
	size_t len;

	make(&c, 1);
	len = c.n * sizeof *c.list;
	if (fd < 0 || write(fd, c.list, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) != 0) {
		error_set_errno(err, EXIT_FAILURE_OWN, "cannot make a memory file");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}
