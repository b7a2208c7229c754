/*
 * optimizer.c - AdamW (Loshchilov and Hutter 2019) and Muon (Jordan et al. 2024).
 *
 * Muon replaces the momentum of a matrix by the nearest matrix with orthonormal
 * rows or columns (to the accuracy of five Newton-Schulz steps), times
 * sqrt(max(1, rows / cols)).  Each matrix is updated alone: q, k, v, gate and up
 * are separate tensors.  Norms have no weight decay.
 */
#include "rl/optimizer.h"
#include "rl/optimizer_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float NS_A = 3.4445f, NS_B = -4.7750f, NS_C = 2.0315f;
enum {
	NS_STEPS = 5
};
static const float NS_EPS = 1e-7f;

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void *device_array(const struct device *d, int64_t n, size_t size, struct error *err)
{
	size_t bytes = (size_t)(n > 0 ? n : 1) * size;
	void *p = d->alloc(bytes, err);

	if (p)
		d->zero(p, bytes);
	return p;
}

/* Which of the state each tensor has, and how much scratch the matrices need. */
static void plan_slots(
	struct optimizer *opt, int64_t *n_state, int64_t *n_matrix, int64_t *n_square)
{
	*n_state = 0;
	*n_matrix = *n_square = 1;
	for (int i = 0; i < opt->model->n_tensors; i++) {
		const struct tensor *t = &opt->model->tensors[i];
		int64_t n = t->rows * t->cols, side = min64(t->rows, t->cols);

		opt->slots[i].muon = opt->options.muon_lr > 0 && t->role == TENSOR_MATRIX;
		*n_state += opt->slots[i].muon ? n : 2 * n;
		if (opt->slots[i].muon && n > *n_matrix)
			*n_matrix = n;
		if (opt->slots[i].muon && side * side > *n_square)
			*n_square = side * side;
	}
}

struct optimizer *optimizer_new(
	struct model *m, const struct optimizer_options *o, struct error *err)
{
	struct optimizer *opt = xcalloc(1, sizeof *opt);
	const struct device *d = m->device;
	int64_t n_state, n_matrix, n_square, at = 0;

	opt->model = m;
	opt->options = *o;
	opt->slots = xcalloc((size_t)m->n_tensors, sizeof *opt->slots);
	plan_slots(opt, &n_state, &n_matrix, &n_square);
	opt->state = device_array(d, n_state, sizeof(float), err);
	opt->update = device_array(d, n_matrix, sizeof(float), err);
	opt->next = device_array(d, n_matrix, sizeof(float), err);
	opt->gram = device_array(d, n_square, sizeof(float), err);
	opt->poly = device_array(d, n_square, sizeof(float), err);
	opt->number = device_array(d, 1, sizeof(double), err);
	if (!opt->state || !opt->update || !opt->next || !opt->gram || !opt->poly || !opt->number) {
		optimizer_free(opt);
		return NULL;
	}
	for (int i = 0; i < m->n_tensors; i++) {
		int64_t n = m->tensors[i].rows * m->tensors[i].cols;

		opt->slots[i].first = opt->state + at;
		at += n;
		if (opt->slots[i].muon)
			continue;
		opt->slots[i].second = opt->state + at;
		at += n;
	}
	return opt;
}

void optimizer_free(struct optimizer *opt)
{
	if (!opt)
		return;
	const struct device *d = opt->model->device;

	d->free(opt->state);
	d->free(opt->update);
	d->free(opt->next);
	d->free(opt->gram);
	d->free(opt->poly);
	d->free(opt->number);
	free(opt->slots);
	free(opt);
}

long long optimizer_steps(const struct optimizer *opt)
{
	return opt->steps;
}

/* Newton-Schulz: opt->update[rows, cols] towards the orthogonal factor of itself.
 * The Gram matrix is taken over the shorter side. */
static void orthogonalise(struct optimizer *opt, int rows, int cols)
{
	const struct device *d = opt->model->device;
	int wide = rows <= cols, side = wide ? rows : cols;
	size_t bytes = (size_t)rows * (size_t)cols * sizeof(float);
	size_t square = (size_t)side * (size_t)side * sizeof(float);

	d->sum_squares(opt->number, opt->update, (int64_t)rows * cols);
	d->divide_by_norm(opt->update, opt->update, (int64_t)rows * cols, opt->number, NS_EPS);
	for (int step = 0; step < NS_STEPS; step++) {
		float *x = opt->update, *y = opt->next;

		if (wide)
			d->matmul(PLAIN, TRANSPOSED, side, side, cols, 1, x, cols, x, cols, 0,
				opt->gram, side);
		else
			d->matmul(TRANSPOSED, PLAIN, side, side, rows, 1, x, cols, x, cols, 0,
				opt->gram, side);
		d->copy(opt->poly, opt->gram, square);
		d->matmul(PLAIN, PLAIN, side, side, side, NS_C, opt->gram, side, opt->gram, side,
			NS_B, opt->poly, side);
		d->copy(y, x, bytes);
		if (wide)
			d->matmul(PLAIN, PLAIN, rows, cols, side, 1, opt->poly, side, x, cols, NS_A,
				y, cols);
		else
			d->matmul(PLAIN, PLAIN, rows, cols, side, 1, x, cols, opt->poly, side, NS_A,
				y, cols);
		opt->update = y;
		opt->next = x;
	}
}

static void muon_step(struct optimizer *opt, const struct tensor *t, struct slot *slot, double rate,
	float grad_scale)
{
	const struct device *d = opt->model->device;
	int64_t n = t->rows * t->cols;
	double shape = sqrt(fmax(1, (double)t->rows / (double)t->cols));

	d->muon_momentum(opt->update, slot->first, t->grad, n, (float)opt->options.muon_momentum,
		grad_scale);
	orthogonalise(opt, (int)t->rows, (int)t->cols);
	d->axpby(t->data, opt->update, n, (float)(-rate * shape),
		(float)(1 - rate * opt->options.weight_decay));
}

static void adamw_step(struct optimizer *opt, const struct tensor *t, struct slot *slot,
	double rate, float grad_scale)
{
	const struct optimizer_options *o = &opt->options;
	double step = (double)(opt->steps + 1);
	struct adamw_args args = {
		.lr = (float)rate,
		.beta1 = (float)o->beta1,
		.beta2 = (float)o->beta2,
		.eps = (float)o->eps,
		.weight_decay = tensor_is_vector(t) ? 0 : (float)o->weight_decay,
		.correction1 = (float)(1 - pow(o->beta1, step)),
		.correction2 = (float)(1 - pow(o->beta2, step)),
		.grad_scale = grad_scale,
	};

	opt->model->device->adamw(
		t->data, t->grad, slot->first, slot->second, t->rows * t->cols, &args);
}

/* Sum of squares of one tensor's gradient, or of all. */
static double sum_squares(struct optimizer *opt, const float *x, int64_t n)
{
	double sum = 0;

	opt->model->device->sum_squares(opt->number, x, n);
	opt->model->device->download(&sum, opt->number, sizeof sum);
	return sum;
}

static int gradient_fault(struct optimizer *opt, struct error *err)
{
	for (int i = 0; i < opt->model->n_tensors; i++) {
		const struct tensor *t = &opt->model->tensors[i];

		if (!isfinite(sum_squares(opt, t->grad, t->rows * t->cols)))
			return error_set(err, EXIT_INTERNAL,
				"the gradient of %s is not finite; nothing was changed "
				"(try a lower learning rate)",
				t->name);
	}
	return error_set(err, EXIT_INTERNAL, "the norm of the gradient is not finite");
}

int optimizer_step(struct optimizer *opt, double schedule, double *grad_norm, struct error *err)
{
	const struct model *m = opt->model;
	const struct optimizer_options *o = &opt->options;
	double norm = sqrt(sum_squares(opt, m->grad, m->n_parameters));
	float grad_scale = 1;

	*grad_norm = norm;
	if (m->device->sync(err) != 0)
		return -1;
	if (!isfinite(norm))
		return gradient_fault(opt, err);
	if (o->clip > 0 && norm > o->clip)
		grad_scale = (float)(o->clip / (norm + 1e-6)); /* as torch does */
	for (int i = 0; i < m->n_tensors; i++) {
		if (opt->slots[i].muon)
			muon_step(opt, &m->tensors[i], &opt->slots[i], o->muon_lr * schedule,
				grad_scale);
		else
			adamw_step(
				opt, &m->tensors[i], &opt->slots[i], o->lr * schedule, grad_scale);
	}
	opt->steps++;
	return m->device->sync(err);
}
