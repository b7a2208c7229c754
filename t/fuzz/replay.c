/*
 * replay.c - the main() of a fuzz target where libFuzzer is not wanted: runs the
 * target once on each file given.
 */
#include "t/fuzz/fuzz.h"

#include "stream/file.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct buf text = {0};
		struct error err;
		uint8_t *data;

		if (file_read(argv[i], SIZE_MAX / 2, &text, &err) != 0)
			die_error(&err);
		/* As long as the input to the byte: ASan sees a step beyond it. */
		data = xmalloc(text.len);
		if (text.len)
			memcpy(data, text.data, text.len);
		LLVMFuzzerTestOneInput(data, text.len);
		free(data);
		buf_release(&text);
	}
	return 0;
}
