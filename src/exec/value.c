#include "exec/value.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

static int is_below(const char *path, const char *place)
{
	size_t len = strlen(place);

	while (len > 0 && place[len - 1] == '/')
		len--;
	return strncmp(path, place, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Takes ".", ".." and empty components out of an absolute path, in the text only. */
static void normalise(char *path)
{
	char *out = path, *in = path;

	while (*in) {
		size_t len;

		in += strspn(in, "/");
		len = strcspn(in, "/");
		if (len == 2 && in[0] == '.' && in[1] == '.') {
			while (out > path && *--out != '/')
				;
		} else if (len > 0 && !(len == 1 && in[0] == '.')) {
			*out++ = '/';
			memmove(out, in, len);
			out += len;
		}
		in += len;
	}
	if (out == path)
		*out++ = '/';
	*out = '\0';
}

/* Links of what exists are resolved; the rest behind it stays as it is, so ".." in it
 * is taken out of the text.  0, or -1 where the disk does not tell. */
static int resolve(const char *path, char out[2 * PATH_MAX])
{
	char head[PATH_MAX], real[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof head)
		return -1;
	memcpy(head, path, len + 1);
	while (!realpath(len > 0 ? head : "/", real)) {
		if (errno != ENOENT && errno != ENOTDIR)
			return -1;
		while (len > 0 && head[len - 1] != '/')
			len--;
		while (len > 0 && head[len - 1] == '/')
			len--;
		head[len] = '\0';
	}
	if (snprintf(out, 2 * PATH_MAX, "%s/%s", real, path + len) >= 2 * PATH_MAX)
		return -1;
	normalise(out);
	return 0;
}

enum fit value_below(const char *value, const char *directory, const char *place)
{
	char path[PATH_MAX], text[PATH_MAX], by_text[2 * PATH_MAX], by_kernel[2 * PATH_MAX];
	char real[PATH_MAX];
	const char *from = value[0] == '/' ? "" : directory;
	int a, b;

	if (snprintf(path, sizeof path, "%s/%s", from, value) >= (int)sizeof path)
		return FIT_MAYBE;
	snprintf(text, sizeof text, "%s", path);
	normalise(text);
	if (resolve(text, by_text) != 0 || resolve(path, by_kernel) != 0)
		return FIT_MAYBE;
	if (!realpath(place, real))
		snprintf(real, sizeof real, "%s", place);
	a = is_below(by_text, real) || is_below(by_text, place);
	b = is_below(by_kernel, real) || is_below(by_kernel, place);
	if (is_below(text, place) && !(a && b))
		return FIT_MAYBE;
	return a && b ? FIT_YES : a || b ? FIT_MAYBE : FIT_NO;
}

enum {
	HOST_MAX = 254
};

/* Cuts the host out of the value: 0, or -1 where programs could disagree about it. */
static int cut_host(const char *value, char host[HOST_MAX])
{
	const char *scheme = strstr(value, "://"), *at, *end;
	size_t len;

	for (const char *c = value; *c; c++)
		if ((unsigned char)*c <= ' ' || (unsigned char)*c > '~' ||
			strchr("\\%\"<>^`{|}", *c))
			return -1;
	if (scheme)
		value = scheme + 3;
	len = strcspn(value, "/?#");
	at = memrchr(value, '@', len);
	if (at) {
		if (memchr(value, '@', (size_t)(at - value)))
			return -1;
		len -= (size_t)(at + 1 - value);
		value = at + 1;
	}
	if (*value == '[') {
		end = memchr(value, ']', len);
		if (!end)
			return -1;
		value++;
		len = (size_t)(end - value);
	} else if (memchr(value, ':', len) != memrchr(value, ':', len)) {
		; /* an IPv6 address without brackets */
	} else {
		end = memchr(value, ':', len);
		len = end ? (size_t)(end - value) : len;
	}
	if (len > 0 && value[len - 1] == '.')
		len--;
	if (len == 0 || len >= HOST_MAX)
		return -1;
	for (size_t i = 0; i < len; i++)
		host[i] = (char)tolower((unsigned char)value[i]);
	host[len] = '\0';
	return 0;
}

/* Addresses in their one spelling.  1 an address; 0 a name; -1 a number that some read
 * as an address (127.1, 0x7f000001). */
static int address_normalise(char host[HOST_MAX])
{
	static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	unsigned char bytes[16];
	const char *last = strrchr(host, '.');

	if (inet_pton(AF_INET, host, bytes) == 1)
		return 1;
	if (inet_pton(AF_INET6, host, bytes) == 1) {
		if (memcmp(bytes, mapped, sizeof mapped) == 0)
			inet_ntop(AF_INET, bytes + 12, host, HOST_MAX);
		else
			inet_ntop(AF_INET6, bytes, host, HOST_MAX);
		return 1;
	}
	if (strchr(host, ':'))
		return -1;
	last = last ? last + 1 : host;
	return last[strspn(last, "0123456789")] == '\0' || strncmp(last, "0x", 2) == 0 ? -1 : 0;
}

enum fit value_host(const char *value, const char *host)
{
	char given[HOST_MAX], wanted[HOST_MAX];
	size_t len, tail;

	if (cut_host(value, given) != 0 || address_normalise(given) < 0)
		return FIT_MAYBE;
	if (strncmp(host, "*.", 2) == 0) {
		len = strlen(given);
		tail = strlen(host + 1);
		return len > tail && strcasecmp(given + len - tail, host + 1) == 0 ? FIT_YES
										   : FIT_NO;
	}
	if (snprintf(wanted, sizeof wanted, "%s", host) >= (int)sizeof wanted)
		return FIT_NO;
	address_normalise(wanted);
	return strcasecmp(given, wanted) == 0 ? FIT_YES : FIT_NO;
}

enum fit value_in_range(const char *value, double low, double high)
{
	double number;

	if (number_real(value, -DBL_MAX, DBL_MAX, &number, NULL) != 0)
		return FIT_MAYBE;
	return number >= low && number <= high ? FIT_YES : FIT_NO;
}
