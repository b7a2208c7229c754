/* The model against transformers: logits, log-probabilities, a loss, all gradients. */
#include "t/model_test.h"

#include "model/safetensors.h"

enum {
	MAX_ROWS = 256,
	MAX_LEN = 64
};

struct reference {
	struct safetensors *file;
	struct model *model;
	struct workspace *w;
	int n_sequences, width;
	float *sequences, *coefficients, *logprobs, *entropies;
	float temperature, loss;
};

static float *values_of(struct reference *r, const char *name, int64_t *n)
{
	const struct safetensors_entry *e = safetensors_find(r->file, name);
	struct error err;
	float *values;

	if (!e)
		fail_msg("no reference '%s'", name);
	values = xreallocarray(NULL, (size_t)e->n_elements + 1, sizeof *values);
	assert_ok(safetensors_floats(e, values, &err), err);
	if (n)
		*n = e->n_elements;
	return values;
}

static void reference_open(struct reference *r, const char *name)
{
	struct error err;
	char path[256];
	float *one;

	snprintf(path, sizeof path, "testdata/model/%s", name);
	r->model = model_load(path, test_device(1), 1, &err);
	if (!r->model)
		fail_msg("%s", err.message);
	r->w = workspace_new(r->model, MAX_ROWS, MAX_ROWS, &err);
	assert_non_null(r->w);
	snprintf(path, sizeof path, "testdata/model/%s/reference.safetensors", name);
	r->file = safetensors_open(path, &err);
	if (!r->file)
		fail_msg("%s", err.message);
	r->sequences = values_of(r, "sequences", NULL);
	r->coefficients = values_of(r, "coefficients", NULL);
	r->logprobs = values_of(r, "logprobs", NULL);
	r->entropies = values_of(r, "entropies", NULL);
	r->n_sequences = (int)safetensors_find(r->file, "sequences")->dims[0];
	r->width = (int)safetensors_find(r->file, "sequences")->dims[1];
	one = values_of(r, "temperature", NULL);
	r->temperature = one[0];
	free(one);
	one = values_of(r, "loss", NULL);
	r->loss = one[0];
	free(one);
}

static void reference_close(struct reference *r)
{
	free(r->sequences);
	free(r->coefficients);
	free(r->logprobs);
	free(r->entropies);
	safetensors_close(r->file);
	workspace_free(r->w);
	model_free(r->model);
}

static int sequence(const struct reference *r, int s, int32_t *tokens)
{
	int n = 0;

	while (n < r->width && r->sequences[s * r->width + n] >= 0.0f) {
		tokens[n] = (int32_t)r->sequences[s * r->width + n];
		n++;
	}
	return n;
}

static void check_logits(struct reference *r)
{
	int v = r->model->config.vocab_size;
	float *got = xreallocarray(NULL, (size_t)(MAX_LEN * v), sizeof *got);
	struct tree *t = tree_new();
	struct error err;

	for (int s = 0; s < r->n_sequences; s++) {
		int32_t tokens[MAX_LEN];
		int n = sequence(r, s, tokens);
		char name[32];
		float *want;
		int64_t count;

		tree_clear(t);
		tree_add(t, tokens, n, n);
		tree_pack(t, 0);
		assert_int_equal(t->n_rows, n);
		assert_ok(model_logits(r->model, r->w, t, got, &err), err);
		snprintf(name, sizeof name, "logits.%d", s);
		want = values_of(r, name, &count);
		assert_int_equal(count, n * v);
		assert_close(got, want, (size_t)count, 1e-5);
		free(want);
	}
	tree_free(t);
	free(got);
}

static void check_gradients(struct reference *r, int flat)
{
	struct tree *t = tree_new();
	float logprob[MAX_ROWS], entropy[MAX_ROWS], coefficient[MAX_ROWS] = {0};
	double loss = 0.0;
	struct error err;

	for (int s = 0; s < r->n_sequences; s++) {
		int32_t tokens[MAX_LEN];
		int n = sequence(r, s, tokens);

		tree_add(t, tokens, n, 1);
	}
	tree_pack(t, flat);
	assert_ok(model_forward(r->model, r->w, t, r->temperature, logprob, entropy, &err), err);
	for (int s = 0; s < r->n_sequences; s++) {
		for (int i = 1; i < t->sequence_length[s]; i++) {
			int e = t->sequence_edges[t->sequence_start[s] + i - 1];
			int at = s * r->width + i;

			assert_true(fabsf(logprob[e] - r->logprobs[at]) < 2e-5f);
			assert_true(fabsf(entropy[e] - r->entropies[at]) < 2e-5f);
			coefficient[e] += r->coefficients[at];
			loss += (double)(r->coefficients[at] * logprob[e]);
		}
	}
	assert_true(fabs(loss - (double)r->loss) < 1e-5 * fabs((double)r->loss));
	model_grad_zero(r->model);
	assert_ok(model_backward(r->model, r->w, t, coefficient, &err), err);
	for (int i = 0; i < r->model->n_tensors; i++) {
		const struct tensor *tensor = &r->model->tensors[i];
		char name[128];
		float *want;
		int64_t n;
		double gap;

		snprintf(name, sizeof name, "grad.%s", tensor->name);
		want = values_of(r, name, &n);
		assert_int_equal(n, tensor->rows * tensor->cols);
		gap = relative_gap(tensor->grad, want, (size_t)n);
		if (!(gap < 2e-5))
			fail_msg("%s: relative error %g", name, gap);
		free(want);
	}
	tree_free(t);
}

static void test_reference(void **state)
{
	struct reference r;

	reference_open(&r, *state);
	check_logits(&r);
	check_gradients(&r, 0);
	check_gradients(&r, 1);
	reference_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"grouped heads, own output head", test_reference, NULL, NULL, "grouped"},
		{"tied output head", test_reference, NULL, NULL, "tied"},
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
