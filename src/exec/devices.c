#include "exec/devices.h"

#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int nodes_make(void)
{
	static const struct {
		const char *path;
		unsigned major, minor;
	} nodes[] = {{"/dev/null", 1, 3}, {"/dev/zero", 1, 5}, {"/dev/full", 1, 7},
		{"/dev/random", 1, 8}, {"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0}};
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"}, {"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"}, {"pts/ptmx", "/dev/ptmx"}};

	for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
		if (mknod(nodes[i].path, S_IFCHR | 0666, makedev(nodes[i].major, nodes[i].minor)) !=
				0 ||
			chmod(nodes[i].path, 0666) != 0)
			return -1;
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (symlink(links[i][0], links[i][1]) != 0)
			return -1;
	return mkdir("/dev/shm", 0755) != 0 || mkdir("/dev/pts", 0755) != 0 ? -1 : 0;
}

int devices_make(void)
{
	static const unsigned long flags = MS_NOSUID | MS_NOEXEC;

	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0)
		return 0;
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("tmpfs", "/dev", "tmpfs", flags, "mode=755,size=64k") != 0)
		return 0;
	/* Terminals of its own, where that is possible. */
	if (nodes_make() == 0 &&
		(mount("devpts", "/dev/pts", "devpts", flags,
			 "newinstance,ptmxmode=0666,mode=620") == 0 ||
			access("/dev/pts", F_OK) == 0) &&
		mount("none", "/dev", "none", MS_REMOUNT | MS_RDONLY | flags, NULL) == 0)
		return 1;
	umount2("/dev", MNT_DETACH);
	return 0;
}
