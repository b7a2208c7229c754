/* values.c - see values.h. */
#include "synth/values.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include "synth/english.h"
#include "synth/measured.h"

static const char *pick(struct rng *r, const struct words *w)
{
	return w->at[rng_below(r, w->n)];
}

static void add_number(struct buf *out, unsigned long long n)
{
	char digits[24];
	unsigned at = sizeof digits;

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	buf_add(out, digits + at, sizeof digits - at);
}

static void add_signed(struct buf *out, long long n)
{
	if (n < 0) {
		buf_addc(out, '-');
		add_number(out, -(unsigned long long)n);
	} else {
		add_number(out, (unsigned long long)n);
	}
}

static void add_hex(struct rng *r, unsigned digits, struct buf *out)
{
	while (digits) {
		uint32_t bits = rng_u32(r);

		for (unsigned i = 0; i < 8 && digits; i++, digits--, bits >>= 4)
			buf_addc(out, "0123456789abcdef"[bits & 15]);
	}
}

/* "billing", "red-billing", "billing_worker", "billing2", ... */
static void draw_name(struct rng *r, char separator, struct buf *out)
{
	uint32_t shape = rng_below(r, 16);

	if (shape < 9) {
		buf_adds(out, pick(r, &words_adjective));
		buf_addc(out, separator);
	}
	buf_adds(out, pick(r, &words_stem));
	if (shape >= 5 && shape < 13) {
		buf_addc(out, separator);
		buf_adds(out, pick(r, &words_short));
	}
	if (shape == 0 || shape == 8 || shape >= 13) {
		if (shape != 14)
			buf_addc(out, separator);
		if (shape == 15)
			buf_addc(out, 'v');
		add_number(out, rng_below(r, shape == 13 ? 2000 : 30) + 1);
	}
}

static void draw_stem(struct rng *r, struct buf *out)
{
	if (rng_below(r, 3))
		draw_name(r, rng_below(r, 4) ? '-' : '_', out);
	else
		buf_adds(out, pick(r, &words_file));
}

static void draw_directories(struct rng *r, struct buf *out)
{
	uint32_t n = rng_below(r, 3);

	for (uint32_t i = 0; i < n; i++) {
		if (rng_below(r, 3))
			buf_adds(out, pick(r, &words_directory));
		else
			buf_adds(out, pick(r, &words_stem));
		buf_addc(out, '/');
	}
}

static void draw_root(struct rng *r, struct buf *out)
{
	switch (rng_below(r, 5)) {
	case 0:
		buf_adds(out, "./");
		break;
	case 1:
		buf_adds(out, rng_below(r, 4) ? "../" : "../../");
		break;
	case 2:
		buf_adds(out, pick(r, &words_root));
		buf_addc(out, '/');
		break;
	default:
		break;
	}
}

/* A file name after that of an example: "Dockerfile", "Dockerfile.billing",
 * "api.Dockerfile", "langgraph.json", "billing.json". */
static void draw_like_example(const struct value_plan *p, struct rng *r, struct buf *out)
{
	const char *example = p->pool[rng_below(r, (uint32_t)p->n_pool)];
	const char *name = strrchr(example, '/') ? strrchr(example, '/') + 1 : example;
	const char *dot = strrchr(name, '.');
	int original = rng_below(r, 3) == 0;

	if (!*name) { /* "docs/" */
		draw_stem(r, out);
	} else if (!dot || dot == name) {
		buf_adds(out, name);
		if (!original && p->kind == KIND_FILE) {
			buf_addc(out, '.');
			draw_stem(r, out);
		}
	} else if (original) {
		buf_adds(out, name);
	} else if (isupper((unsigned char)name[0])) { /* the name before the dot is fixed */
		buf_add(out, name, (size_t)(dot - name) + 1);
		draw_stem(r, out);
	} else {
		draw_stem(r, out);
		buf_adds(out, dot);
	}
}

static void draw_file(const struct value_plan *p, struct rng *r, struct buf *out)
{
	size_t n = 0;

	draw_root(r, out);
	draw_directories(r, out);
	if (p && p->like_examples && (!p->extensions || rng_below(r, 2))) {
		draw_like_example(p, r, out);
		return;
	}
	draw_stem(r, out);
	while (p && p->extensions && p->extensions[n])
		n++;
	if (n)
		buf_adds(out, p->extensions[rng_below(r, (uint32_t)n)]);
	else
		buf_adds(out, (const char *const[]){".json", ".yaml", ".yml", ".toml", ".txt",
				      ".py", ".env", ".cfg"}[rng_below(r, 8)]);
}

static void draw_directory(struct rng *r, struct buf *out)
{
	size_t from = out->len;

	draw_root(r, out);
	if (out->len == from)
		buf_adds(out, rng_below(r, 3) ? "./" : "");
	draw_directories(r, out);
	draw_name(r, rng_below(r, 4) ? '-' : '_', out);
	if (!rng_below(r, 8))
		buf_addc(out, '/');
}

static void draw_host_name(struct rng *r, struct buf *out)
{
	if (rng_below(r, 2)) {
		buf_adds(out, pick(r, &words_label));
		buf_addc(out, '.');
	}
	draw_name(r, '-', out);
	buf_addc(out, '.');
	buf_adds(out, pick(r, &words_domain));
}

static void draw_ip(struct rng *r, struct buf *out)
{
	if (rng_below(r, 2)) {
		buf_adds(out, "192.168.");
		add_number(out, rng_below(r, 255));
	} else {
		buf_adds(out, rng_below(r, 2) ? "10.0" : "172.16");
		buf_addc(out, '.');
		add_number(out, rng_below(r, 255));
	}
	buf_addc(out, '.');
	add_number(out, rng_below(r, 253) + 1);
}

static void draw_port(struct rng *r, struct buf *out)
{
	static const unsigned short common[] = {80, 443, 2024, 3000, 3001, 4000, 4200, 5000, 5173,
		5432, 5678, 6006, 7000, 7860, 8000, 8001, 8008, 8080, 8081, 8088, 8123, 8443, 8501,
		8765, 8787, 8888, 9000, 9001, 9090, 9229, 9999, 10000};

	if (rng_below(r, 4) == 0)
		add_number(out, common[rng_below(r, sizeof common / sizeof *common)]);
	else if (rng_below(r, 2))
		add_number(out, 3000 + rng_below(r, 7000));
	else
		add_number(out, 1024 + rng_below(r, 64000));
}

static void draw_host(struct rng *r, struct buf *out)
{
	switch (rng_below(r, 6)) {
	case 0:
		buf_adds(out, (const char *const[]){"0.0.0.0", "127.0.0.1", "localhost",
				      "::1"}[rng_below(r, 16) ? rng_below(r, 3) : 3]);
		break;
	case 1:
	case 2:
	case 3:
		draw_ip(r, out);
		break;
	default:
		draw_host_name(r, out);
	}
}

static void draw_url(struct rng *r, struct buf *out)
{
	buf_adds(out, rng_below(r, 3) ? "https://" : "http://");
	switch (rng_below(r, 5)) {
	case 0:
		buf_adds(out, rng_below(r, 2) ? "localhost:" : "127.0.0.1:");
		draw_port(r, out);
		break;
	case 1:
		draw_ip(r, out);
		buf_addc(out, ':');
		draw_port(r, out);
		break;
	default:
		draw_host_name(r, out);
		if (!rng_below(r, 4)) {
			buf_addc(out, ':');
			draw_port(r, out);
		}
	}
	if (!rng_below(r, 4)) {
		buf_addc(out, '/');
		buf_adds(out, pick(r, rng_below(r, 2) ? &words_stem : &words_label));
	}
}

static void draw_database(struct rng *r, struct buf *out)
{
	buf_adds(out, rng_below(r, 3) ? "postgresql://" : "postgres://");
	buf_adds(out, pick(r, rng_below(r, 2) ? &words_short : &words_adjective));
	buf_addc(out, ':');
	if (rng_below(r, 2))
		add_hex(r, 4 + rng_below(r, 8), out);
	else
		buf_adds(out, pick(r, &words_stem));
	buf_addc(out, '@');
	if (rng_below(r, 3))
		draw_host_name(r, out);
	else if (rng_below(r, 2))
		buf_adds(out, rng_below(r, 2) ? "localhost" : "db");
	else
		draw_ip(r, out);
	if (rng_below(r, 4)) {
		buf_addc(out, ':');
		add_number(out, rng_below(r, 3) ? 5432 : 5000 + rng_below(r, 2000));
	}
	buf_addc(out, '/');
	draw_name(r, '_', out);
	if (!rng_below(r, 6))
		buf_adds(out, "?sslmode=disable");
}

static void draw_version(struct rng *r, struct buf *out)
{
	add_number(out, rng_below(r, rng_below(r, 3) ? 2 : 12));
	buf_addc(out, '.');
	add_number(out, rng_below(r, 30));
	if (rng_below(r, 6)) {
		buf_addc(out, '.');
		add_number(out, rng_below(r, rng_below(r, 2) ? 10 : 120));
	}
	if (!rng_below(r, 10)) {
		buf_adds(out, rng_below(r, 2) ? "rc" : ".dev");
		add_number(out, rng_below(r, 9) + 1);
	}
}

static void draw_tag(struct rng *r, struct buf *out)
{
	switch (rng_below(r, 7)) {
	case 0:
		buf_addc(out, 'v');
		draw_version(r, out);
		break;
	case 1:
		draw_version(r, out);
		break;
	case 2:
		add_hex(r, 7, out);
		break;
	case 3:
		buf_adds(out, (const char *const[]){
				      "latest", "stable", "edge", "nightly"}[rng_below(r, 4)]);
		buf_addc(out, '-');
		add_number(out, 20240101 + 10000 * rng_below(r, 3) + 100 * rng_below(r, 12) +
					rng_below(r, 28));
		break;
	default:
		draw_name(r, '-', out);
	}
}

static void draw_repository(struct rng *r, struct buf *out)
{
	switch (rng_below(r, 5)) {
	case 0:
		add_number(out, 100000000000ull + rng_u64(r) % 899999999999ull);
		buf_adds(out, ".images.");
		buf_adds(out, pick(r, &words_region));
		buf_adds(out, ".example.net");
		break;
	case 1:
		buf_adds(out, "registry.");
		draw_name(r, '-', out);
		buf_adds(out, ".example");
		break;
	default:
		buf_adds(out, pick(r, &words_registry));
	}
	buf_addc(out, '/');
	if (rng_below(r, 3)) {
		buf_adds(out, pick(r, rng_below(r, 2) ? &words_stem : &words_adjective));
		buf_addc(out, '/');
	}
	draw_name(r, '-', out);
}

static void draw_image(struct rng *r, struct buf *out)
{
	switch (rng_below(r, 5)) {
	case 0:
		draw_repository(r, out);
		break;
	case 1:
	case 2:
		buf_adds(out, pick(r, rng_below(r, 2) ? &words_stem : &words_adjective));
		buf_addc(out, '/');
		/* fallthrough */
	default:
		draw_name(r, '-', out);
	}
	if (rng_below(r, 8)) {
		buf_addc(out, ':');
		draw_tag(r, out);
	}
}

static void draw_uuid(struct rng *r, struct buf *out)
{
	static const unsigned char groups[] = {8, 4, 4, 4, 12};

	for (unsigned i = 0; i < 5; i++) {
		if (i)
			buf_addc(out, '-');
		add_hex(r, groups[i], out);
	}
}

/* Made by a machine: "dep-4821", "agt_7f3c", a UUID; never just words. */
static void draw_identifier(struct rng *r, struct buf *out)
{
	static const char *const prefix[] = {"dep", "agt", "id", "rev", "lst", "d", "a", "x",
		"prod", "run", "dev", "srv", "res", "obj"};
	uint32_t shape = rng_below(r, 6);

	if (shape == 0) {
		draw_uuid(r, out);
		return;
	}
	if (shape < 5) {
		buf_adds(out, prefix[rng_below(r, sizeof prefix / sizeof *prefix)]);
		buf_addc(out, rng_below(r, 3) ? '-' : '_');
	}
	if (shape < 3)
		add_number(out, 1 + rng_below(r, rng_below(r, 2) ? 1000 : 100000));
	else
		add_hex(r, 4 + 2 * rng_below(r, 4), out);
}

static void draw_secret(struct rng *r, struct buf *out)
{
	static const char *const prefix[] = {
		"lsv2_pt_", "lsv2_sk_", "sk-", "key_", "ls__", "pat-", "tok_", "api-"};

	buf_adds(out, prefix[rng_below(r, 8)]);
	add_hex(r, 8 + rng_below(r, 25), out);
	if (!rng_below(r, 3)) {
		buf_addc(out, '_');
		add_hex(r, 10, out);
	}
}

static void draw_command(struct rng *r, struct buf *out)
{
	const char *pattern = pick(r, &words_tool_command);
	const char *word = pick(r, &words_code_file);
	const char *slot = strstr(pattern, "%s");

	if (!slot) {
		buf_adds(out, pattern);
		return;
	}
	buf_add(out, pattern, (size_t)(slot - pattern));
	/* Not "npm run run". */
	if (rng_below(r, 2) && !strstr(pattern, word))
		buf_adds(out, word);
	else
		draw_name(r, rng_below(r, 3) ? '-' : '_', out);
	buf_adds(out, slot + 2);
}

static void draw_time(struct rng *r, struct buf *out)
{
	buf_addf(out, "202%u-%02u-%02u", 4 + rng_below(r, 3), 1 + rng_below(r, 12),
		1 + rng_below(r, 28));
	if (rng_below(r, 5))
		buf_addf(out, "T%02u:%02u:%02uZ", rng_below(r, 24),
			rng_below(r, 2) ? 0 : rng_below(r, 60), rng_below(r, 3) ? 0 : 30);
}

static void draw_words(struct rng *r, struct buf *out)
{
	switch (rng_below(r, 4)) {
	case 0:
		draw_name(r, rng_below(r, 2) ? '_' : '-', out);
		break;
	case 1:
		buf_adds(out, pick(r, &words_stem));
		buf_addc(out, ' ');
		buf_adds(out, pick(r, &words_topic));
		break;
	case 2:
		buf_adds(out, pick(r, &words_topic));
		buf_addc(out, ' ');
		draw_name(r, '-', out);
		break;
	default:
		buf_adds(out, pick(r, &words_topic));
	}
}

static void draw_integer(const struct value_plan *p, struct rng *r, struct buf *out)
{
	static const long long scale[] = {10, 20, 100, 500, 1000, 10000};
	long long low = p ? p->minimum : 1, high = p ? p->maximum : 1000;
	long long span = scale[rng_below(r, 6)], n;

	if (high - low < span)
		span = high - low + 1;
	n = low + (long long)(rng_u64(r) % (unsigned long long)span);
	if (n >= 50 && rng_below(r, 3) == 0 && n - n % 10 >= low)
		n -= n % 10;
	add_signed(out, n);
}

/* Two digits behind the point at most, rounded into the range. */
static void draw_number(const struct value_plan *p, struct rng *r, struct buf *out)
{
	double low = p ? p->real_minimum : 0, high = p ? p->real_maximum : 10;
	double scale = rng_below(r, 2) ? 10 : 100;
	double from = ceil(low * scale), span = floor(high * scale) - from;
	double n = from + (span >= 1 ? floor(rng_double(r) * span) : 0);

	buf_addf(out, "%g", n / scale);
}

static void draw_pool(const struct value_plan *p, struct rng *r, struct buf *out)
{
	buf_adds(out, p->pool[rng_below(r, (uint32_t)p->n_pool)]);
}

static void draw_measure(struct rng *r, const char *const units[], unsigned n, struct buf *out)
{
	add_number(out, 1 + rng_below(r, rng_below(r, 2) ? 60 : 512));
	buf_adds(out, units[rng_below(r, n)]);
}

/* With a suffix that the argument has; single bytes are rarely meant. */
static void draw_counted(const struct argument *a, struct rng *r, struct buf *out)
{
	const struct unit_suffix *u;

	add_number(out, 1 + rng_below(r, rng_below(r, 2) ? 60 : 512));
	do
		u = &a->units[rng_below(r, (uint32_t)a->n_units)];
	while (u->unit == UNIT_BYTES && rng_below(r, 16));
	buf_adds(out, u->suffix);
}

static void draw_boolean(struct rng *r, struct buf *out)
{
	buf_adds(out, rng_below(r, 2) ? "true" : "false");
}

static void draw_address(struct rng *r, struct buf *out)
{
	draw_host(r, out);
	buf_addc(out, ':');
	draw_port(r, out);
}

static void draw_digest(struct rng *r, struct buf *out)
{
	draw_repository(r, out);
	buf_adds(out, "@sha256:");
	add_hex(r, 64, out);
}

static void draw_machine_id(struct rng *r, struct buf *out)
{
	if (rng_below(r, 2))
		draw_uuid(r, out);
	else
		draw_identifier(r, out);
}

static void draw_plain_name(struct rng *r, struct buf *out)
{
	draw_name(r, rng_below(r, 5) ? '-' : '_', out);
}

static void draw_duration(struct rng *r, struct buf *out)
{
	draw_measure(r, (const char *const[]){"s", "m", "h", "ms"}, 4, out);
}

static void draw_size(struct rng *r, struct buf *out)
{
	draw_measure(r, (const char *const[]){"m", "g", "k", "MB", "GB"}, 5, out);
}

static void draw_email(struct rng *r, struct buf *out)
{
	buf_adds(out, pick(r, &words_stem));
	buf_addc(out, '@');
	draw_host_name(r, out);
}

/* The kinds that need nothing but luck. */
static void (*const drawers[KIND_COUNT])(struct rng *r, struct buf *out) = {
	[KIND_PORT] = draw_port,
	[KIND_BOOLEAN] = draw_boolean,
	[KIND_DIRECTORY] = draw_directory,
	[KIND_URL] = draw_url,
	[KIND_DATABASE] = draw_database,
	[KIND_HOST] = draw_host,
	[KIND_ADDRESS] = draw_address,
	[KIND_IMAGE] = draw_image,
	[KIND_DIGEST] = draw_digest,
	[KIND_REPOSITORY] = draw_repository,
	[KIND_TAG] = draw_tag,
	[KIND_VERSION] = draw_version,
	[KIND_UUID] = draw_machine_id,
	[KIND_IDENTIFIER] = draw_identifier,
	[KIND_NAME] = draw_plain_name,
	[KIND_SECRET] = draw_secret,
	[KIND_COMMAND] = draw_command,
	[KIND_DURATION] = draw_duration,
	[KIND_SIZE] = draw_size,
	[KIND_TIME] = draw_time,
	[KIND_WORDS] = draw_words,
	[KIND_EMAIL] = draw_email,
};

/* p NULL: a value as good as any of that kind. */
static void draw(const struct value_plan *p, enum value_kind kind, struct rng *r, struct buf *out)
{
	switch (kind) {
	case KIND_NUMBER:
		draw_number(p, r, out);
		break;
	case KIND_FILE:
		draw_file(p, r, out);
		break;
	case KIND_INTEGER:
	case KIND_COUNT:
		draw_integer(p, r, out);
		break;
	default:
		drawers[kind](r, out);
	}
}

void value_draw(const struct value_plan *p, struct rng *r, struct buf *out)
{
	const struct argument *a = p->argument;

	if (p->kind == KIND_ACCEPTED)
		buf_adds(out, a->accepted[rng_below(r, (uint32_t)a->n_accepted)].value);
	else if (a->n_units && rng_below(r, 2) && measure_draw(a, r, out))
		return;
	else if ((p->n_pool && rng_double(r) < p->example_share) || p->kind == KIND_POOL)
		draw_pool(p, r, out);
	else if (a->n_units > 1)
		draw_counted(a, r, out);
	else
		draw(p, p->kind, r, out);
}

void value_draw_kind(enum value_kind kind, struct rng *r, struct buf *out)
{
	draw(NULL, kind, r, out);
}
