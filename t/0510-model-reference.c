/* The model against transformers: logits, log-probabilities, a loss, all gradients; and
 * what sampling computes from cached keys, some rows at a time. */
#include "t/model_test.h"

#include <unistd.h>

#include "model/pass.h"
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

/* Log-probabilities of all tokens behind every row, from passes of at most three rows. */
static void check_cached(struct reference *r)
{
	const int v = r->model->config.vocab_size;
	float *got = xcalloc((size_t)(MAX_LEN * v), sizeof *got);
	int32_t *all = xcalloc((size_t)v, sizeof *all);
	struct choices choices = {.ids = all, .n = v};
	struct error err;

	for (int i = 0; i < v; i++)
		all[i] = i;
	for (int s = 0; s < r->n_sequences; s++) {
		struct pass pass = {0};
		struct cache c;
		int32_t tokens[MAX_LEN];
		int n = sequence(r, s, tokens);
		char name[32];
		float *want;

		assert_ok(cache_alloc(&c, r->model, n, 3, MAX_LEN, MAX_LEN, &err), err);
		pass_add_run(&pass, tokens, n, 0, 0);
		for (int i = 0; i < n; i++)
			pass_add_head(&pass, i, &choices);
		assert_ok(pass_score(&pass, &c, got, &err), err);
		snprintf(name, sizeof name, "logits.%d", s);
		want = values_of(r, name, NULL);
		for (int i = 0; i < n; i++) {
			double sum = 0.0;

			for (int j = 0; j < v; j++)
				sum += exp((double)want[i * v + j]);
			for (int j = 0; j < v; j++)
				want[i * v + j] -= (float)log(sum);
		}
		assert_close(got, want, (size_t)(n * v), 1e-5);
		free(want);
		pass_free(&pass);
		cache_free(&c);
	}
	free(all);
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

/* What is written is read as the same model. */
static void check_saved(struct reference *r)
{
	char dir[] = "/tmp/model-reference-XXXXXX", path[64];
	struct error err;
	struct model *m;

	assert_non_null(mkdtemp(dir));
	assert_ok(model_save(r->model, dir, &err), err);
	m = model_load(dir, test_device(1), 0, &err);
	if (!m)
		fail_msg("%s", err.message);
	assert_memory_equal(&m->config, &r->model->config, sizeof m->config);
	assert_close(m->data, r->model->data, (size_t)m->n_parameters, 2e-7);
	model_free(m);
	snprintf(path, sizeof path, "%s/config.json", dir);
	unlink(path);
	snprintf(path, sizeof path, "%s/model.safetensors", dir);
	unlink(path);
	rmdir(dir);
}

static void test_reference(void **state)
{
	struct reference r;

	reference_open(&r, *state);
	check_logits(&r);
	check_cached(&r);
	check_gradients(&r, 0);
	check_gradients(&r, 1);
	check_saved(&r);
	reference_close(&r);
}

/* A device that lacks what an architecture needs is not asked for it. */
static void test_lacking_device(void **state)
{
	static const char *const refused[] = {"mistral", "qwen2", "qwen3", "gemma3"};
	struct device lacking = *test_device(1);
	struct error err;
	struct model *m;

	(void)state;
	lacking.name = "half";
	lacking.head_rmsnorm = NULL;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		char path[64];

		snprintf(path, sizeof path, "testdata/model/%s", refused[i]);
		assert_null(model_load(path, &lacking, 0, &err));
		assert_int_equal(err.code, EXIT_UNAVAILABLE);
		assert_non_null(strstr(err.message, "not computed on the device half"));
	}
	m = model_load("testdata/model/llama3", &lacking, 0, &err);
	assert_non_null(m);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"grouped heads, own output head", test_reference, NULL, NULL, "grouped"},
		{"tied output head", test_reference, NULL, NULL, "tied"},
		{"positions of Llama 3", test_reference, NULL, NULL, "llama3"},
		{"positions scaled linearly", test_reference, NULL, NULL, "linear"},
		{"mistral: windows", test_reference, NULL, NULL, "mistral"},
		{"qwen2: biases", test_reference, NULL, NULL, "qwen2"},
		{"qwen2: windows in some layers", test_reference, NULL, NULL, "qwen2-window"},
		{"qwen3: norms of queries and keys", test_reference, NULL, NULL, "qwen3"},
		{"gemma3", test_reference, NULL, NULL, "gemma3"},
		cmocka_unit_test(test_lacking_device),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
