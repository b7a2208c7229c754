/* What strangers write is shown as printable ASCII, and different texts never look
 * alike. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "exec/visible.h"
#include "text/utf8.h"

static void assert_plain(const struct buf *shown)
{
	for (size_t i = 0; i < shown->len; i++)
		assert_in_range((unsigned char)shown->data[i], 0x20, 0x7e);
}

static void test_every_code_point(void **state)
{
	struct buf shown = {0};
	char text[4], expected[32];

	(void)state;
	for (uint32_t code = 0; code < 0x110000; code++) {
		unsigned kinds;
		size_t len;

		if (code >= 0xd800 && code < 0xe000)
			continue;
		buf_clear(&shown);
		len = utf8_encode(code, text);
		kinds = visible_plain(&shown, text, len);
		assert_plain(&shown);
		if (code >= 0x20 && code < 0x7f) {
			assert_int_equal(kinds, 0);
			continue;
		}
		assert_int_not_equal(kinds, 0);
		snprintf(expected, sizeof expected, "\\u{%x}", code);
		assert_string_equal(shown.data, expected);
	}
	buf_release(&shown);
}

struct kind_case {
	const char *text;
	unsigned kinds;
};

static void test_kinds(void **state)
{
	static const struct kind_case cases[] = {{"plain ~", 0}, {"\x1b[2J", VISIBLE_CONTROL},
		{"\xc2\x9b", VISIBLE_CONTROL}, {"\x7f", VISIBLE_CONTROL},
		{"a\xe2\x80\xae", VISIBLE_DIRECTION}, {"\xe2\x81\xa6", VISIBLE_DIRECTION},
		{"\xe2\x80\x8b", VISIBLE_INVISIBLE}, {"\xf3\xa0\x81\xa1", VISIBLE_INVISIBLE},
		{"\xef\xbb\xbf", VISIBLE_INVISIBLE}, {"\xc2\xa0", VISIBLE_INVISIBLE},
		{"\xef\xb8\x8f", VISIBLE_INVISIBLE}, {"\xd0\xb0", VISIBLE_FOREIGN},
		{"\xff", VISIBLE_INVALID}, {"\xc0\xaf", VISIBLE_INVALID},
		{"\xed\xa0\x80", VISIBLE_INVALID},
		{"\x01\xc3\xa9\xff", VISIBLE_CONTROL | VISIBLE_FOREIGN | VISIBLE_INVALID}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf shown = {0};

		assert_int_equal(visible_plain(&shown, cases[i].text, strlen(cases[i].text)),
			cases[i].kinds);
		assert_plain(&shown);
		buf_release(&shown);
	}
}

/* Undoes the escapes: what is shown says exactly what the text was. */
static void read_back(const char *shown, struct buf *text)
{
	for (const char *at = shown + 1; at[1]; at++) {
		char bytes[4], *end;

		if (*at != '\\') {
			buf_addc(text, *at);
			continue;
		}
		at++;
		if (*at == 'u')
			buf_add(text, bytes,
				utf8_encode((uint32_t)strtoul(at + 2, &end, 16), bytes));
		else if (*at == 'x')
			buf_addc(text, (char)strtoul(at + 2, &end, 16));
		else {
			buf_addc(text, *at);
			continue;
		}
		at = end;
	}
}

static void test_random_bytes(void **state)
{
	static const char pieces[] = "\\\"'u{x}20e\xe2\x80\xae\xc3\xa9\xff\x1b\xf0\x9f\x98\x80";
	struct buf text = {0}, shown = {0}, back = {0};
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, RNG_TEST, 0, 0);
	for (int round = 0; round < 20000; round++) {
		buf_clear(&text);
		buf_clear(&shown);
		buf_clear(&back);
		for (uint32_t n = 1 + rng_below(&rng, 12); n > 0; n--)
			buf_addc(&text, pieces[rng_below(&rng, sizeof pieces - 1)]);
		visible_quoted(&shown, text.data, text.len);
		assert_plain(&shown);
		read_back(shown.data, &back);
		assert_int_equal(back.len, text.len);
		assert_memory_equal(back.data, text.data, text.len);
	}
	buf_release(&text);
	buf_release(&shown);
	buf_release(&back);
}

static void test_shell(void **state)
{
	static const char *const cases[][2] = {{"plain-1.0_x/y:z@a=b", "plain-1.0_x/y:z@a=b"},
		{"", "''"}, {"a b", "'a b'"}, {"it's", "'it'\\''s'"}, {"$(id)", "'$(id)'"},
		{"~", "'~'"}, {"a\nb", "$'a\\nb'"}, {"\xc3\xa9'\\", "$'\\u00e9\\'\\\\'"},
		{"\x1b[2J\x7f", "$'\\033[2J\\177'"},
		{"\xff"
		 "1",
			"$'\\3771'"},
		{"\xf0\x9f\x98\x80", "$'\\U0001f600'"}, {"A=b", "'A=b'"}, {"--a=b", "--a=b"},
		{"=b", "'=b'"}, {"a ", "'a '"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf shown = {0};

		visible_shell(&shown, cases[i][0]);
		assert_string_equal(shown.data, cases[i][1]);
		buf_release(&shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_code_point),
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_shell)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
