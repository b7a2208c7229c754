/* What kind of value a word is. */
#include <string.h>
#include "text/spans_internal.h"
#include "text/utf8.h"

/* Lists are strings of words between blanks. */
static const char units[] =
	" ns us µs ms s sec secs m min mins h hr hrs d day days w wk y yr b k g "
	"t kb mb gb tb kib mib gib tib ki mi gi ti bit bits byte bytes px x fps hz khz "
	"mhz ghz ";
static const char extensions[] =
	" json yaml yml toml txt py js ts env md cfg conf ini log sh tar gz zip csv tsv lock xml "
	"html "
	"htm css c h cc cpp hpp go rs rb java sql db sqlite pem key crt cert pub jsonl ndjson zst "
	"ipynb "
	"so exe bat ps1 service png jpg jpeg gif svg webp pdf doc docx xls xlsx mp3 mp4 wav mov "
	"avi "
	"mkv iso img deb rpm whl jar war tgz bz2 xz 7z rar lua pl php swift kt scala tf tfvars hcl "
	"proto graphql parquet npy npz pt bin safetensors gguf dat bak tmp out patch diff tex bib "
	"rst "
	"adoc properties gradle cmake mk vue jsx tsx mjs cjs scss less dockerfile pid sock socket "
	"example local sample gitignore dockerignore ";
static const char domains[] =
	" com org net io dev ai co edu gov uk de fr nl eu us ca au jp cn in ru "
	"br internal local localhost lan home test example invalid cloud corp svc app "
	"me info biz tech xyz host intranet cluster ";
/* Words that are named before a value: port:8123, tag=x. */
static const char keys[] = " port ports version tag path file config host url image timeout env "
			   "key note dir directory "
			   "name debugger in on at to with from mode level output input format id "
			   "size memory template "
			   "title project folder value use is was ";
static const char pairs[] =
	" and/or yes/no on/off true/false either/or he/she his/her him/her they/them i/o n/a w/o "
	"tcp/udp tcp/ip http/https client/server start/stop up/down ci/cd enable/disable "
	"read/write "
	"input/output stdin/stdout prod/dev dev/prod and/ w/ ";

static int in_list(const char *list, const char *s, size_t n)
{
	char word[32];

	if (!n || n + 3 > sizeof word)
		return 0;
	word[0] = ' ';
	for (size_t i = 0; i < n; i++)
		word[i + 1] = (char)utf8_lower((unsigned char)s[i]);
	word[n + 1] = ' ';
	word[n + 2] = '\0';
	return memchr(s, ' ', n) ? 0 : strstr(list, word) != NULL;
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static int is_ascii_letter(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z');
}

static int is_letter(char c)
{
	return is_ascii_letter(c) || (unsigned char)c >= 0x80;
}

static size_t digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && is_digit(s[i]))
		i++;
	return i;
}

static int all_in(const char *s, size_t n, const char *also)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_letter(s[i]) && !is_digit(s[i]) && !(s[i] && strchr(also, s[i])))
			return 0;
	}
	return n > 0;
}

static int is_letters(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_letter(s[i]))
			return 0;
	}
	return n > 0;
}

static const char *find_char(const char *s, size_t n, char c)
{
	return n ? memchr(s, c, n) : NULL;
}

static const char *find_last(const char *s, size_t n, char c)
{
	return n ? memrchr(s, c, n) : NULL;
}

size_t word_lower(const char *s, size_t n, char *out)
{
	size_t len = 0, size;

	for (size_t at = 0; at < n; at += size) {
		int32_t code = utf8_decode(s + at, n - at, &size);
		char text[4];
		size_t more;

		if (code == 0x2019)
			code = '\'';
		more = utf8_encode((uint32_t)utf8_lower(code < 0 ? 0xfffd : code), text);
		if (len + more > WORD_MAX)
			return 0;
		memcpy(out + len, text, more);
		len += more;
	}
	return len;
}

size_t word_base(const char *s, size_t n)
{
	if (n > 2 && (s[n - 1] == 's' || s[n - 1] == 'S') && s[n - 2] == '\'')
		return n - 2;
	if (n > 4 && s[n - 1] == 's' && !memcmp(s + n - 4, "\xe2\x80\x99", 3))
		return n - 4;
	return n;
}

/* Without a lexicon every word is known. */
static int is_known(const struct lexicon *lex, const char *s, size_t n)
{
	char word[WORD_MAX];
	size_t len;

	if (!lex)
		return 1;
	len = word_lower(s, n, word);
	return len && lexicon_has(lex, word, len);
}

/* Length of a decimal number at s: 8123, 2.5, .5, 8,123, 1e-4, 0x1f; 0: none. */
static size_t number_length(const char *s, size_t n)
{
	size_t i = n && (*s == '-' || *s == '+') ? 1 : 0, whole = digits(s + i, n - i);

	if (n - i > 2 && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')) {
		for (i += 2; i < n && (is_digit(s[i]) || strchr("abcdefABCDEF", s[i]));)
			i++;
		return i;
	}
	i += whole;
	if (whole >= 1 && whole <= 3) {
		while (i + 4 <= n && s[i] == ',' && digits(s + i + 1, n - i - 1) == 3)
			i += 4;
	}
	if (i + 1 < n && s[i] == '.' && is_digit(s[i + 1]))
		i += 1 + digits(s + i + 1, n - i - 1);
	else if (!whole)
		return 0;
	if (i + 1 < n && (s[i] == 'e' || s[i] == 'E')) {
		size_t sign = s[i + 1] == '-' || s[i + 1] == '+' ? 2 : 1;
		size_t power = digits(s + i + sign, n - i - sign < n ? n - i - sign : 0);

		if (power)
			i += sign + power;
	}
	return i;
}

/* 30s, 1h30m, 512MB, 2-unit numbers. */
static int is_size(const char *s, size_t n)
{
	size_t i = 0, parts = 0;

	while (i < n) {
		size_t number = number_length(s + i, n - i), unit = 0;

		while (i + number + unit < n && is_letter(s[i + number + unit]))
			unit++;
		if (!number || !unit || !in_list(units, s + i + number, unit))
			return 0;
		i += number + unit;
		parts++;
	}
	return parts > 0;
}

/* v1, v1.2, 1.2.3, 1.2.3-rc1, 3.12-slim, 2.0.0b1, >=1.2. */
static int is_version(const char *s, size_t n)
{
	size_t sign = 0, v, i, dots = 0;

	while (sign < n && s[sign] && strchr("~<>=!^", s[sign]))
		sign++;
	v = sign < n && (s[sign] == 'v' || s[sign] == 'V') ? 1 : 0;
	i = sign + v;

	for (;;) {
		size_t more = digits(s + i, n - i);

		if (!more)
			return 0;
		i += more;
		if (i == n || s[i] != '.' || i + 1 == n || !is_digit(s[i + 1]))
			break;
		dots++;
		i++;
	}
	if (i == n)
		return v || dots >= 2 || (sign && dots);
	return (v || dots) && all_in(s + i, n - i, ".-+_");
}

/* Four numbers below 256 with dots, maybe :port or /bits. */
static int is_ipv4(const char *s, size_t n)
{
	size_t i = 0;

	for (int part = 0; part < 4; part++) {
		size_t more = digits(s + i, n - i);

		if (!more || more > 3 || (more == 3 && memcmp(s + i, "255", 3) > 0))
			return 0;
		i += more;
		if (part < 3 && (i == n || s[i++] != '.'))
			return 0;
	}
	return i == n || ((s[i] == ':' || s[i] == '/') &&
				 i + 1 + digits(s + i + 1, n - i - 1) == n && i + 1 < n);
}

static int is_ipv6(const char *s, size_t n)
{
	size_t colons = 0;

	for (size_t i = 0; i < n; i++) {
		colons += s[i] == ':';
		if (!is_digit(s[i]) && !strchr("abcdefABCDEF:.[]%/", s[i]))
			return 0;
	}
	return colons >= 2 && n >= 3 &&
	       (s[0] == '[' || colons == 7 || memmem(s, n, "::", 2) != NULL);
}

static int is_date(const char *s, size_t n)
{
	return n >= 10 && digits(s, n) == 4 && s[4] == '-' && digits(s + 5, n - 5) == 2 &&
	       s[7] == '-' && digits(s + 8, n - 8) >= 2;
}

static int is_url(const char *s, size_t n)
{
	size_t i = 0;

	if (n > 4 && !strncasecmp(s, "www.", 4))
		return 1;
	if (n > 4 && !memcmp(s, "git@", 4) && find_char(s, n, ':'))
		return 1;
	while (i < n && (is_ascii_letter(s[i]) || (i && (is_digit(s[i]) || strchr("+.-", s[i])))))
		i++;
	return i > 1 && n > i + 3 && !memcmp(s + i, "://", 3);
}

static int is_path_start(const char *s, size_t n)
{
	if (*s == '/' || *s == '\\')
		return n > 1 && s[1] != *s;
	if (*s == '~')
		return n == 1 || s[1] == '/';
	if (*s == '.') {
		size_t dots = n > 1 && s[1] == '.' ? 2 : 1;

		return n == dots || s[dots] == '/' || s[dots] == '\\' ||
		       (dots == 1 && is_letter(s[1]));
	}
	if (*s == '$')
		return n > 2 && find_char(s, n, '/') != NULL;
	return n > 2 && is_ascii_letter(*s) && s[1] == ':' && (s[2] == '\\' || s[2] == '/');
}

/* With a slash inside: a path, an image, or two words that go together. */
static int classify_slash(const char *s, size_t n)
{
	const char *last = find_last(s, n, '/'), *first = find_char(s, n, '/');
	const char *colon = find_last(s, n, ':');
	size_t left = (size_t)(first - s);

	if (in_list(pairs, s, n) || (n > 1 && left == 0 && last == s + 1))
		return PLAIN; /* such a pair of words; // alone or before a word */
	if (colon && colon > last && all_in(colon + 1, (size_t)(s + n - colon) - 1, "._-")) {
		const char *dot = find_last(last, (size_t)(colon - last), '.');

		return dot && in_list(extensions, dot + 1, (size_t)(colon - dot) - 1) ? SPAN_PATH
										      : SPAN_IMAGE;
	}
	if (first == last && digits(s, left) == left && left &&
		digits(first + 1, n - left - 1) == n - left - 1)
		return SPAN_NAME; /* 1/2 */
	return SPAN_PATH;
}

/* name:tag, host:port, key:value, file.py:name. */
static int classify_colon(const char *s, size_t n, size_t *at)
{
	const char *colon = find_char(s, n, ':');
	size_t left = (size_t)(colon - s), right = n - left - 1;
	const char *dot = find_last(s, left, '.');

	if (in_list(keys, s, left)) {
		*at = left;
		return SPLIT;
	}
	if (find_char(colon + 1, right, ':') || !left || !right || digits(s, left) == left)
		return SPAN_NAME; /* 8080:80, a:b:c, 12:30 */
	if (dot && in_list(extensions, dot + 1, left - (size_t)(dot - s) - 1) &&
		!in_list(domains, dot + 1, left - (size_t)(dot - s) - 1))
		return SPAN_PATH;
	if (digits(colon + 1, right) == right &&
		(right > 3 || dot || in_list(" localhost ", s, left)))
		return SPAN_HOST;
	return all_in(s, left, "._-") && all_in(colon + 1, right, "._-") ? SPAN_IMAGE : SPAN_NAME;
}

/* A dot inside: a file, a host, a module; or two sentences with no blank between. */
static int classify_dotted(const char *s, size_t n, const struct lexicon *lex, size_t *at)
{
	const char *last = find_last(s, n, '.'), *first = find_char(s, n, '.');
	size_t ending = n - (size_t)(last - s) - 1;
	int single = 1, known = lex != NULL;

	for (size_t from = 0, to; from < n; from = to + 1) {
		const char *dot = find_char(s + from, n - from, '.');

		to = dot ? (size_t)(dot - s) : n;
		single = single && to - from == 1;
		known = known && is_letters(s + from, to - from) &&
			is_known(lex, s + from, to - from);
	}
	if (single)
		return PLAIN; /* e.g, p.m */
	if (in_list(extensions, last + 1, ending) && !in_list(domains, last + 1, ending))
		return SPAN_PATH;
	if (known && !(is_upper(*s) && !is_upper(last[1]))) { /* Dockerfile.agent is a name */
		*at = (size_t)(first - s);
		return SPLIT;
	}
	if (in_list(domains, last + 1, ending))
		return SPAN_HOST;
	return is_digit(*s) && is_digit(s[n - 1]) ? SPAN_VERSION : SPAN_NAME;
}

/* Letters with apostrophes: a word, maybe contracted. */
static int classify_letters(const char *s, size_t n, const struct lexicon *lex)
{
	char word[WORD_MAX];
	size_t len = word_lower(s, n, word);
	const char *apostrophe;

	if (!lex || (len && lexicon_has(lex, word, len)))
		return PLAIN;
	apostrophe = find_last(word, len, '\'');
	if (!apostrophe)
		return SPAN_WORD;
	if (in_list(" t re ll ve d m s ", apostrophe + 1, len - (size_t)(apostrophe - word) - 1))
		return PLAIN; /* who'll, isn't */
	return SPAN_WORD;
}

/* What has no sign in it that tells its type. */
static int classify_name(const char *s, size_t n, const struct lexicon *lex)
{
	size_t letters = 0, apostrophes = 0;
	int inner = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\'') {
			apostrophes++;
			continue;
		}
		letters += (size_t)is_letter(s[i]);
		inner |= is_digit(s[i]) || s[i] == '_' || (s[i] == '-' && i && i + 1 < n) ||
			 (i && is_upper(s[i]) && s[i - 1] >= 'a' && s[i - 1] <= 'z');
	}
	if (!letters && !digits(s, n))
		return PLAIN;
	if (!inner && letters + apostrophes == n)
		return classify_letters(s, n, lex);
	if (lex && is_known(lex, s, n))
		return PLAIN;
	if (is_digit(*s) && n > 2 && digits(s, n) == n - 2 &&
		in_list(" st nd rd th ", s + n - 2, 2))
		return PLAIN; /* 3rd */
	return inner || lex ? SPAN_NAME : PLAIN;
}

static int is_split_sign(char c)
{
	return c && strchr("()[]{}<>;\"|&!?", c);
}

/* a,b: several values in one word, unless a part is a known word of the request. */
static int classify_comma(const char *s, size_t n, const struct lexicon *lex, size_t *at)
{
	*at = (size_t)((const char *)memchr(s, ',', n) - s);
	for (size_t from = 0, to; from < n; from = to + 1) {
		const char *comma = find_char(s + from, n - from, ',');

		to = comma ? (size_t)(comma - s) : n;
		if (to == from || (lex && to - from > 1 && is_letters(s + from, to - from) &&
					  is_known(lex, s + from, to - from)))
			return SPLIT;
	}
	return SPAN_NAME;
}

/* FOO=bar and package==1.2 are values; port=8123 names one. */
static int classify_equals(const char *s, size_t n, const struct lexicon *lex, size_t *at)
{
	size_t left = (size_t)((const char *)memchr(s, '=', n) - s);

	*at = left;
	if (!left || left + 1 == n || in_list(" id url uri ", s, left))
		return SPLIT;
	if (!is_upper(*s) &&
		(in_list(keys, s, left) || (lex && is_letters(s, left) && is_known(lex, s, left))))
		return SPLIT;
	return SPAN_NAME;
}

/* An option of another tool is a value; one that people use here is a word, and
 * what is behind its = may be a value. */
static int classify_option(const char *s, size_t n, const struct lexicon *lex, size_t *at)
{
	const char *equals = find_char(s, n, '=');
	size_t name = equals ? (size_t)(equals - s) : n, dashes = 0;

	while (dashes < name && s[dashes] == '-')
		dashes++;
	if (lex && dashes < 3 && dashes < name && is_ascii_letter(s[dashes]) &&
		!is_known(lex, s, name) && (!equals || name + 1 < n))
		return SPAN_NAME;
	*at = name;
	return equals ? SPLIT : PLAIN;
}

int span_classify(const char *s, size_t n, const struct lexicon *lex, size_t *at)
{
	size_t number;

	if (is_url(s, n))
		return SPAN_URL;
	number = number_length(s, n);
	if (number == n && n)
		return SPAN_NUMBER;
	if (*s == '-')
		return classify_option(s, n, lex, at);
	if (number && is_size(s, n))
		return SPAN_SIZE;
	if (is_ipv4(s, n) || is_ipv6(s, n))
		return SPAN_HOST;
	if (is_version(s, n))
		return SPAN_VERSION;
	if (is_date(s, n))
		return SPAN_NAME;
	if (is_path_start(s, n))
		return SPAN_PATH;
	for (size_t i = 0; i < n; i++) {
		if (is_split_sign(s[i])) {
			*at = i;
			return SPLIT;
		}
	}
	if (find_char(s, n, '='))
		return classify_equals(s, n, lex, at);
	if (find_char(s, n, ','))
		return classify_comma(s, n, lex, at);
	if (find_char(s, n, '@')) {
		const char *sign = memchr(s, '@', n);
		const char *dot = find_char(sign, n - (size_t)(sign - s), '.');

		return sign > s && dot && !is_digit(sign[1]) && sign[1] != 'v' ? SPAN_HOST
									       : SPAN_NAME;
	}
	if (find_char(s, n, '\\'))
		return SPAN_PATH;
	if (find_char(s, n, '/'))
		return classify_slash(s, n);
	if (find_char(s, n, ':'))
		return classify_colon(s, n, at);
	if (find_char(s, n, '*'))
		return n > 1 ? SPAN_PATH : PLAIN;
	if (find_char(s, n, '.'))
		return classify_dotted(s, n, lex, at);
	return classify_name(s, n, lex);
}
