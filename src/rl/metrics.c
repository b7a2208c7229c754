/* metrics.c - lines of figures for a file, and for the terminal. */
#include "rl/metrics.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes of the file that are whole lines of steps up to `step`; -1 where it holds
 * anything else than metrics (but for a last line that was cut off). */
static long keep_bytes(FILE *f, long long step)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	long keep = 0;
	int cut = 0;

	while (keep >= 0 && (len = getline(&line, &cap, f)) > 0) {
		json_t *json = json_loadb(line, (size_t)len, 0, NULL);
		const json_t *value = json_object_get(json, "step");

		if (line[len - 1] != '\n')
			cut = 1;
		else if (!json_is_integer(value))
			keep = -1;
		else if (json_integer_value(value) > step)
			cut = 1;
		else if (!cut)
			keep += len;
		json_decref(json);
	}
	free(line);
	return keep;
}

/* Cuts off what a resumed trainer writes again.  Pipes and devices stay as they are. */
static int cut_later_steps(FILE *f, const char *path, long long step, struct error *err)
{
	struct stat st;
	long keep;

	if (fstat(fileno(f), &st) != 0)
		return error_set_errno(err, EXIT_IO, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	keep = keep_bytes(f, step);
	if (keep < 0)
		return error_set(err, EXIT_USAGE, "%s: holds other things than metrics", path);
	if (ftruncate(fileno(f), keep) != 0 || fseek(f, 0, SEEK_END) != 0)
		return error_set_errno(err, EXIT_IO, "%s", path);
	return 0;
}

int metrics_open(struct metrics *m, const char *path, long long step, int quiet, struct error *err)
{
	memset(m, 0, sizeof *m);
	m->quiet = quiet || !isatty(STDERR_FILENO);
	m->started = m->last = seconds_now();
	if (!path)
		return 0;
	/* A pipe cannot be opened for reading too. */
	m->file = fopen(path, "a+e");
	if (!m->file)
		m->file = fopen(path, "ae");
	if (!m->file)
		return error_set_errno(err, EXIT_IO, "%s", path);
	/* cppcheck-suppress seekOnAppendedFile ; for reading: where "a+" begins is open */
	rewind(m->file);
	if (cut_later_steps(m->file, path, step, err) == 0)
		return 0;
	fclose(m->file);
	m->file = NULL;
	return -1;
}

int metrics_write(struct metrics *m, json_t *json, struct error *err)
{
	char *text;
	int failed = 0;

	if (m->file) {
		text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(7));
		if (!text)
			failed = error_set(err, EXIT_INTERNAL, "a figure is not a number");
		else if (fprintf(m->file, "%s\n", text) < 0 || fflush(m->file) != 0)
			failed = error_set_errno(err, EXIT_IO, "the metrics");
		free(text);
	}
	json_decref(json);
	return failed;
}

void metrics_progress(struct metrics *m, long long done, long long total, const char *text)
{
	double now = seconds_now(), each;
	char line[256];
	int n;

	if (m->quiet || (now - m->last < 0.25 && done < total))
		return;
	m->last = now;
	each = (now - m->started) / (double)(done > 0 ? done : 1);
	n = snprintf(line, sizeof line, "\r\033[Kstep %lld of %lld, %s, %.0f s left", done, total,
		text, each * (double)(total - done));
	if (n > 0 && write(STDERR_FILENO, line, strlen(line)) < 0)
		m->quiet = 1;
	m->shown = 1;
}

int metrics_close(struct metrics *m, struct error *err)
{
	int failed = 0;

	if (m->shown && write(STDERR_FILENO, "\r\033[K", 4) < 0)
		m->quiet = 1;
	m->shown = 0;
	if (m->file && fclose(m->file) != 0)
		failed = error_set_errno(err, EXIT_IO, "the metrics");
	m->file = NULL;
	return failed;
}
