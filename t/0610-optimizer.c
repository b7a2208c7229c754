/* AdamW and Muon against PyTorch (testdata/rl/optimizer.txt, made by
 * t/make_optimizer_reference.py); a gradient that is not finite; save and load. */
#include <math.h>
#include <sys/stat.h>

#include "rl/optimizer.h"
#include "stream/file.h"
#include "t/rl_reference.h"
#include "t/tap.h"

enum {
	N_TENSORS = 5
};

static struct reference ref;
static const struct device *device;

static const struct {
	const char *name;
	enum tensor_role role;
	int64_t rows, cols;
} shapes[N_TENSORS] = {{"embedding", TENSOR_EMBEDDING, 7, 4}, {"norm", TENSOR_NORM, 4, 1},
	{"wide", TENSOR_MATRIX, 3, 5}, {"tall", TENSOR_MATRIX, 6, 4},
	{"square", TENSOR_MATRIX, 4, 4}};

static const struct optimizer_options options = {.lr = 3e-3,
	.muon_lr = 0.02,
	.beta1 = 0.9,
	.beta2 = 0.95,
	.eps = 1e-8,
	.weight_decay = 0.05,
	.muon_momentum = 0.95,
	.clip = 1};

static const double schedules[] = {0.5, 1, 1, 0.3};

/* A model that is nothing but its parameters. */
static void parameters_init(struct model *m)
{
	struct error err;
	int64_t at = 0;

	memset(m, 0, sizeof *m);
	m->device = device;
	m->n_tensors = N_TENSORS;
	m->tensors = xcalloc(N_TENSORS, sizeof *m->tensors);
	for (int i = 0; i < N_TENSORS; i++)
		m->n_parameters += shapes[i].rows * shapes[i].cols;
	m->data = device->alloc((size_t)m->n_parameters * sizeof(float), &err);
	m->grad = device->alloc((size_t)m->n_parameters * sizeof(float), &err);
	for (int i = 0; i < N_TENSORS; i++) {
		m->tensors[i] = (struct tensor){.name = shapes[i].name,
			.role = shapes[i].role,
			.rows = shapes[i].rows,
			.cols = shapes[i].cols,
			.data = m->data + at,
			.grad = m->grad + at};
		at += shapes[i].rows * shapes[i].cols;
	}
}

static void parameters_release(struct model *m)
{
	device->free(m->data);
	device->free(m->grad);
	free(m->tensors);
}

static void set(float *to, const char *name)
{
	size_t n;
	const double *values = reference_get(&ref, name, &n);
	float host[64];

	for (size_t i = 0; i < n; i++)
		host[i] = (float)values[i];
	device->upload(to, host, n * sizeof(float));
}

static void check(const float *from, const char *name, double tolerance)
{
	size_t n;
	const double *values = reference_get(&ref, name, &n);
	float host[64];

	device->download(host, from, n * sizeof(float));
	for (size_t i = 0; i < n; i++)
		if (!(fabs(host[i] - values[i]) <= tolerance))
			fail_msg("%s[%zu]: %.9g, expected %.9g", name, i, host[i], values[i]);
}

static void set_all(struct model *m, const char *prefix, const char *what)
{
	char name[128];

	for (int i = 0; i < N_TENSORS; i++) {
		snprintf(name, sizeof name, "%s.%s.%s", prefix, what, shapes[i].name);
		set(strncmp(what, "grad", 4) == 0 ? m->tensors[i].grad : m->tensors[i].data, name);
	}
}

/* One update with the reference's gradients of that step. */
static void update(struct model *m, struct optimizer *opt, const char *prefix, int step)
{
	struct error err;
	char what[64];
	double norm;

	snprintf(what, sizeof what, "grad.%d", step);
	set_all(m, prefix, what);
	assert_int_equal(optimizer_step(opt, schedules[step], &norm, &err), 0);
	snprintf(what, sizeof what, "%s.norm.%d", prefix, step);
	size_t n;
	double expected = reference_get(&ref, what, &n)[0];
	assert_true(fabs(norm - expected) <= 1e-6 * expected);
}

static void compare(struct model *m, const char *prefix, int step, double tolerance)
{
	char name[128];

	for (int i = 0; i < N_TENSORS; i++) {
		snprintf(name, sizeof name, "%s.after.%d.%s", prefix, step, shapes[i].name);
		check(m->tensors[i].data, name, tolerance);
	}
}

static void against_torch(const char *prefix, double muon_lr)
{
	struct model m;
	struct error err;
	struct optimizer_options o = options;

	o.muon_lr = muon_lr;
	parameters_init(&m);
	set_all(&m, prefix, "start");
	struct optimizer *opt = optimizer_new(&m, &o, &err);
	assert_non_null(opt);
	for (int step = 0; step < 4; step++) {
		update(&m, opt, prefix, step);
		/* fp32 against fp64; weights are of size 1. */
		compare(&m, prefix, step, 2e-6);
	}
	assert_int_equal(optimizer_steps(opt), 4);
	optimizer_free(opt);
	parameters_release(&m);
}

static void test_adamw(void **state)
{
	(void)state;
	against_torch("adamw", 0);
}

static void test_muon(void **state)
{
	(void)state;
	against_torch("muon", 0.02);
}

static void test_not_finite(void **state)
{
	static const float bad[] = {NAN, INFINITY};
	struct error err;
	double norm;

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct model m;

		parameters_init(&m);
		set_all(&m, "muon", "start");
		set_all(&m, "muon", "grad.0");
		device->upload(m.tensors[3].grad + 5, &bad[k], sizeof(float));
		struct optimizer *opt = optimizer_new(&m, &options, &err);
		assert_int_equal(optimizer_step(opt, 1, &norm, &err), -1);
		assert_non_null(strstr(err.message, "tall"));
		assert_int_equal(optimizer_steps(opt), 0);
		for (int i = 0; i < N_TENSORS; i++) {
			char name[64];

			snprintf(name, sizeof name, "muon.start.%s", shapes[i].name);
			check(m.tensors[i].data, name, 0);
		}
		optimizer_free(opt);
		parameters_release(&m);
	}
}

static void read_bytes(const char *dir, struct buf *out)
{
	char path[512];
	struct error err;

	snprintf(path, sizeof path, "%s/optimizer.safetensors", dir);
	assert_int_equal(file_read(path, 1 << 20, out, &err), 0);
}

/* Saved after two updates and loaded, the rest gives the same bits. */
static void test_save_load(void **state)
{
	const char *dir = scratch_path("saved");
	struct error err;
	struct model a, b;
	struct buf first = {0}, second = {0};
	float x[256], y[256];

	(void)state;
	assert_int_equal(mkdir(dir, 0777), 0);
	parameters_init(&a);
	parameters_init(&b);
	set_all(&a, "muon", "start");
	struct optimizer *p = optimizer_new(&a, &options, &err);
	struct optimizer *q = optimizer_new(&b, &options, &err);
	update(&a, p, "muon", 0);
	update(&a, p, "muon", 1);
	if (optimizer_save(p, dir, &err) != 0)
		fail_msg("%s", err.message);
	if (optimizer_load(q, dir, &err) != 0)
		fail_msg("%s", err.message);
	assert_int_equal(optimizer_steps(q), 2);
	read_bytes(dir, &first);
	assert_int_equal(optimizer_save(q, dir, &err), 0);
	read_bytes(dir, &second);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.data, second.data, first.len);
	device->copy(b.data, a.data, (size_t)a.n_parameters * sizeof(float));
	for (int step = 2; step < 4; step++) {
		update(&a, p, "muon", step);
		update(&b, q, "muon", step);
	}
	device->download(x, a.data, (size_t)a.n_parameters * sizeof(float));
	device->download(y, b.data, (size_t)b.n_parameters * sizeof(float));
	assert_memory_equal(x, y, (size_t)a.n_parameters * sizeof(float));

	/* State of another optimizer is refused. */
	struct optimizer_options other = options;
	other.muon_lr = 0;
	struct optimizer *r = optimizer_new(&b, &other, &err);
	assert_int_equal(optimizer_load(r, dir, &err), -1);
	assert_int_equal(err.code, EXIT_DATA);

	optimizer_free(p);
	optimizer_free(q);
	optimizer_free(r);
	parameters_release(&a);
	parameters_release(&b);
	buf_release(&first);
	buf_release(&second);
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12))
		fail_msg("%.15g, expected %.15g", a, b);
}

static void test_schedule(void **state)
{
	(void)state;
	near(schedule_at(SCHEDULE_CONSTANT, 0, 4, 10, 0), 0.25);
	near(schedule_at(SCHEDULE_CONSTANT, 3, 4, 10, 0), 1);
	near(schedule_at(SCHEDULE_CONSTANT, 9, 4, 10, 0), 1);
	near(schedule_at(SCHEDULE_COSINE, 4, 4, 10, 0.05), 1);
	near(schedule_at(SCHEDULE_COSINE, 7, 4, 10, 0.05), 0.525);
	near(schedule_at(SCHEDULE_COSINE, 10, 4, 10, 0.05), 0.05);
	near(schedule_at(SCHEDULE_COSINE, 99, 4, 10, 0.05), 0.05);
	near(schedule_at(SCHEDULE_COSINE, 0, 0, 10, 0.05), 1);
	near(schedule_at(SCHEDULE_COSINE, 5, 9, 9, 0), 6.0 / 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adamw),
		cmocka_unit_test(test_muon),
		cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_save_load),
		cmocka_unit_test(test_schedule),
	};
	struct error err;
	int failed;

	reference_read(&ref, "testdata/rl/optimizer.txt");
	note_enable(0);
	device = device_open("cpu", 1, &err);
	if (!device)
		die_error(&err);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
	reference_release(&ref);
	return failed;
}
