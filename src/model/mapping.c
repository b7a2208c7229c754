#include "model/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int mapping_open(struct mapping *m, const char *path, const char *kind, size_t least,
	const char *short_text, struct error *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set_errno(err, EXIT_NOINPUT, "cannot open it");
	if (fstat(fd, &st) != 0) {
		error_set_errno(err, EXIT_IO, "cannot stat it");
		close(fd);
		return -1;
	}
	m->size = (size_t)st.st_size;
	if (!S_ISREG(st.st_mode) || m->size < least) {
		close(fd);
		return error_set(err, EXIT_DATA, "not a %s file: %s", kind,
			S_ISREG(st.st_mode) ? short_text : "not a regular file");
	}
	m->data = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (m->data == MAP_FAILED) {
		m->data = NULL;
		return error_set_errno(err, EXIT_IO, "cannot map it");
	}
	return 0;
}

void mapping_close(struct mapping *m)
{
	if (m->data)
		munmap(m->data, m->size);
	*m = (struct mapping){0};
}
