/*
 * The JSON reader: what it takes is printed and read again as the same value (by its
 * text: json_equal() does not see what follows a NUL in a name).
 * seeds: seeds/langgraph/cli.json testdata/stream testdata/check
 */
#include "t/fuzz/fuzz.h"

#include "stream/jsonl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	struct buf text = {0}, same = {0};
	json_t *value = json_text_parse((const char *)data, size, &err), *again;

	if (!value)
		return 0;
	json_text_print(value, &text);
	again = json_text_parse(text.data, text.len, &err);
	fuzz_assert(again);
	json_text_print(again, &same);
	fuzz_assert(text.len == same.len && memcmp(text.data, same.data, text.len) == 0);
	json_decref(again);
	json_decref(value);
	buf_release(&text);
	buf_release(&same);
	return 0;
}
