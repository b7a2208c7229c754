#define ERROR_DEFINES
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name = "cli-learn";
static int notes_on = 1;

void program_name_set(const char *argv0)
{
	const char *slash;

	if (!argv0 || !*argv0)
		return;
	slash = strrchr(argv0, '/');
	name = slash ? slash + 1 : argv0;
}

const char *program_name(void)
{
	return name;
}

void note_enable(int on)
{
	notes_on = on;
}

/* Control bytes could repaint a terminal: show them as ?, keep UTF-8. */
static size_t make_visible(char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == 0x7f)
			s[i] = '?';
		else if (c == 0xc2 && i + 1 < len && (unsigned char)s[i + 1] < 0xa0)
			s[i] = s[i + 1] = '?';
	}
	return len;
}

static void say(const char *kind, const char *fmt, va_list args, int saved_errno)
{
	char line[2048];
	size_t room = sizeof line - 1;
	int n = snprintf(line, room, "%s: %s", name, kind);
	size_t len = n < 0 ? 0 : (size_t)n;

	n = vsnprintf(line + len, room - len, fmt, args);
	if (n > 0)
		len = len + (size_t)n < room ? len + (size_t)n : room - 1;
	if (saved_errno) {
		n = snprintf(line + len, room - len, ": %s", strerror(saved_errno));
		if (n > 0)
			len = len + (size_t)n < room ? len + (size_t)n : room - 1;
	}
	len = make_visible(line, len);
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, len) < 0)
		return; /* nowhere left to complain */
}

void note(const char *fmt, ...)
{
	va_list args;

	if (!notes_on)
		return;
	va_start(args, fmt);
	say("", fmt, args, 0);
	va_end(args);
}

void warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("warning: ", fmt, args, 0);
	va_end(args);
}

void warn_errno(const char *fmt, ...)
{
	int saved = errno;
	va_list args;

	va_start(args, fmt);
	say("warning: ", fmt, args, saved);
	va_end(args);
}

void die(enum exit_code code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("", fmt, args, 0);
	va_end(args);
	exit(code);
}

void die_errno(enum exit_code code, const char *fmt, ...)
{
	int saved = errno;
	va_list args;

	va_start(args, fmt);
	say("", fmt, args, saved);
	va_end(args);
	exit(code);
}

void die_error(const struct error *err)
{
	die(err->code ? err->code : EXIT_INTERNAL, "%s", err->message);
}

/* Formats beside *err first: an argument may be the old message. */
static void set_message(
	struct error *err, enum exit_code code, int system, const char *fmt, va_list args)
{
	char text[sizeof err->message];
	int n = vsnprintf(text, sizeof text, fmt, args);
	size_t len = n < 0 ? 0 : (size_t)n;

	if (n < 0)
		text[0] = '\0';
	if (system && len < sizeof text)
		snprintf(text + len, sizeof text - len, ": %s", strerror(system));
	err->code = code;
	err->system = system;
	memcpy(err->message, text, sizeof text);
}

int error_set(struct error *err, enum exit_code code, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -1;
	va_start(args, fmt);
	set_message(err, code, 0, fmt, args);
	va_end(args);
	return -1;
}

int error_set_errno(struct error *err, enum exit_code code, const char *fmt, ...)
{
	int saved = errno;
	va_list args;

	if (!err)
		return -1;
	va_start(args, fmt);
	set_message(err, code, saved, fmt, args);
	va_end(args);
	return -1;
}

int error_prefix(struct error *err, const char *fmt, ...)
{
	char text[sizeof(struct error){0}.message];
	va_list args;
	int n;

	if (!err)
		return -1;
	va_start(args, fmt);
	n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof text)
		snprintf(text + n, sizeof text - (size_t)n, ": %.*s",
			(int)(sizeof text - (size_t)n - 3), err->message);
	memcpy(err->message, text, sizeof text);
	return -1;
}
