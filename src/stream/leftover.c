/* leftover.c - a small table that exit and signal handlers can read. */
#include "stream/leftover.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* A program writes a handful of files at a time; more go unguarded. */
enum {
	SLOTS = 32
};

static const char *volatile paths[SLOTS];
static volatile pid_t owner;

/* Calls only what a signal handler may call. */
static void remove_all(void)
{
	if (getpid() != owner)
		return;
	for (int i = 0; i < SLOTS; i++) {
		const char *path = paths[i];

		paths[i] = NULL;
		if (path)
			unlink(path);
	}
}

/* The signal is blocked meanwhile: it ends the program on return. */
static void on_signal(int number)
{
	remove_all();
	signal(number, SIG_DFL);
	raise(number);
}

static void watch_the_end(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
	struct sigaction now, ours = {.sa_handler = on_signal};

	atexit(remove_all);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			sigaction(signals[i], &ours, NULL);
}

void leftover_guard(const char *path)
{
	if (!owner)
		watch_the_end();
	if (owner != getpid()) {
		for (int i = 0; i < SLOTS; i++)
			paths[i] = NULL;
		owner = getpid();
	}
	for (int i = 0; i < SLOTS; i++) {
		if (!paths[i]) {
			paths[i] = path;
			return;
		}
	}
}

void leftover_forget(const char *path)
{
	for (int i = 0; i < SLOTS; i++)
		if (paths[i] == path)
			paths[i] = NULL;
}
