/*
 * A grammar from a stranger, for which pairs are made up: each is a record.
 * seeds: seeds/langgraph/cli.json testdata/synth testdata/cli testdata/exec/probe.json
 */
#include "t/fuzz/fuzz.h"

#include "stream/jsonl.h"
#include "synth/generator.h"

static void make(const struct plan *plan)
{
	static const struct seeds none;
	struct generator g;
	struct generated what;
	struct buf json = {0};
	struct error err;

	generator_init(&g, plan, &none, 1, 0.2);
	for (uint64_t k = 0; k < 8; k++) {
		json_t *record;

		buf_clear(&json);
		generator_record(&g, k, &json, &what);
		record = json_text_parse(json.data, json.len, &err);
		fuzz_assert(record && json_string_value(json_object_get(record, "request")));
		json_decref(record);
	}
	buf_release(&json);
	generator_release(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	struct spec *spec = spec_parse((const char *)data, size, "fuzz", &err);
	struct plan *plan = spec ? plan_new(spec, &err) : NULL;

	if (plan)
		make(plan);
	plan_free(plan);
	if (spec)
		spec_free(spec);
	return 0;
}
