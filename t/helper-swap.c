/*
 * helper-swap - bends a path while others follow it.
 *
 *	helper-swap DIR N [HASH]
 *
 * DIR/bin/mark is the program that is meant.  A thread exchanges it N times for a script
 * that makes a file "evil" where it runs: by renames of the file itself, of a link to it,
 * and of the directory that holds it.  DIR/race.json is a policy that runs it by
 * DIR/way/mark without a question.  The script lies where everyone may write; with HASH,
 * that of the program, it does not, and the policy pins the hash.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char good[PATH_MAX], evil[PATH_MAX], way[PATH_MAX];
static long rounds;

static void die_now(const char *what)
{
	perror(what);
	exit(1);
}

static const char *join(const char *a, const char *b)
{
	static char path[4][PATH_MAX];
	static int next;
	char *out = path[next++ % 4];

	snprintf(out, PATH_MAX, "%s/%s", a, b);
	return out;
}

static void write_text(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0 || chmod(path, mode) != 0)
		die_now(path);
}

/* way -> good, way -> evil: the directory by which the program is reached. */
static void *swap(void *unused)
{
	(void)unused;
	for (long i = 0; i < rounds; i++) {
		const char *target = i % 2 ? good : evil;
		char link[PATH_MAX + 8];

		snprintf(link, sizeof link, "%s.next", way);
		if (i % 3 == 0) {
			if (symlink(target, link) != 0 || rename(link, way) != 0)
				die_now("link");
		} else if (renameat2(AT_FDCWD, good, AT_FDCWD, evil, RENAME_EXCHANGE) != 0) {
			die_now("exchange");
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char text[4 * PATH_MAX], pin[128] = "";
	pthread_t thread;

	if (argc < 3) {
		puts("1..0 # SKIP a helper of t/0772-attacks-files.sh");
		return 0;
	}
	rounds = strtol(argv[2], NULL, 10);
	snprintf(good, sizeof good, "%s", join(argv[1], "bin"));
	snprintf(evil, sizeof evil, "%s", join(argv[1], "evil"));
	snprintf(way, sizeof way, "%s", join(argv[1], "way"));
	if (mkdir(evil, 0755) != 0 || chmod(evil, argc > 3 ? 0755 : 0777) != 0)
		die_now(evil);
	if (argc > 3)
		snprintf(pin, sizeof pin, ", \"sha256\": \"%s\"", argv[3]);
	write_text(join(evil, "mark"), "#!/bin/sh\n: >evil\n", 0755);
	if (symlink(good, way) != 0)
		die_now(way);
	snprintf(text, sizeof text,
		"{\"policy\": 1, \"programs\": [{\"name\": \"mark\", \"path\": \"%s/mark\"%s}],"
		" \"settings\": {\"writable\": true},"
		" \"rules\": [{\"command\": \"*\", \"decide\": \"auto\"},"
		" {\"command\": \"*\", \"argument\": \"*\", \"decide\": \"auto\"}]}\n",
		way, pin);
	write_text(join(argv[1], "race.json"), text, 0644);
	if (pthread_create(&thread, NULL, swap, NULL) != 0 || pthread_join(thread, NULL) != 0)
		die_now("thread");
	return 0;
}
