/*
 * The JSON reader: what it takes is printed and read again as the same value.
 * seeds: seeds/langgraph/cli.json testdata/stream testdata/check
 */
#include "t/fuzz/fuzz.h"

#include "stream/jsonl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	struct buf text = {0};
	json_t *value = json_text_parse((const char *)data, size, &err), *again;

	if (!value)
		return 0;
	json_text_print(value, &text);
	again = json_text_parse(text.data, text.len, &err);
	fuzz_assert(again && json_equal(value, again));
	json_decref(again);
	json_decref(value);
	buf_release(&text);
	return 0;
}
