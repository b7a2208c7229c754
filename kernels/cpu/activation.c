/*
 * activation.c - gated activations (Shazeer 2020): SwiGLU, silu(gate) * up, and GeGLU with
 * the tanh approximation of GELU (Hendrycks and Gimpel 2016).
 *
 * Both are gate * s * up with s = 1 / (1 + exp(-z)): z is the gate itself, or, as
 * (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)), the polynomial of the approximation.
 */
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/exp.h"

struct gated {
	float *out;
	const float *dy, *gate_up;
	int f;
};

static const float LINEAR = 1.5957691216057308f; /* 2 sqrt(2 / pi) */
static const float CUBIC = 0.044715f;

static inline float sigmoid_of(float g, const int gelu)
{
	return 1.0f / (1.0f + exp_fast(-(gelu ? LINEAR * (g + CUBIC * g * g * g) : g)));
}

static inline __attribute__((always_inline)) void forward_rows(
	const struct gated *s, int from, int to, const int gelu)
{
	const int f = s->f;

	for (int i = from; i < to; i++) {
		const float *gate = s->gate_up + (size_t)i * 2 * f, *up = gate + f;
		float *y = s->out + (size_t)i * f;

		if (gelu) {
#pragma omp simd
			for (int j = 0; j < f; j++)
				y[j] = gate[j] * sigmoid_of(gate[j], 1) * up[j];
		} else {
#pragma omp simd
			for (int j = 0; j < f; j++)
				y[j] = gate[j] / (1.0f + exp_fast(-gate[j])) * up[j];
		}
	}
}

/* d (g s(z)) = s + g s (1 - s) z'. */
static inline __attribute__((always_inline)) void backward_rows(
	const struct gated *a, int from, int to, const int gelu)
{
	const int f = a->f;

	for (int i = from; i < to; i++) {
		const float *gate = a->gate_up + (size_t)i * 2 * f, *up = gate + f;
		const float *d = a->dy + (size_t)i * f;
		float *dgate = a->out + (size_t)i * 2 * f, *dup = dgate + f;

#pragma omp simd
		for (int j = 0; j < f; j++) {
			float g = gate[j], u = up[j], t = d[j], s = sigmoid_of(g, gelu);
			float slope = gelu ? g * LINEAR * (1.0f + 3.0f * CUBIC * g * g) : g;

			dgate[j] = t * u * (s + slope * s * (1.0f - s));
			dup[j] = t * g * s;
		}
	}
}

static void swiglu_part(const void *context, int from, int to)
{
	forward_rows(context, from, to, 0);
}

static void geglu_part(const void *context, int from, int to)
{
	forward_rows(context, from, to, 1);
}

static void swiglu_backward_part(const void *context, int from, int to)
{
	backward_rows(context, from, to, 0);
}

static void geglu_backward_part(const void *context, int from, int to)
{
	backward_rows(context, from, to, 1);
}

void cpu_swiglu(float *y, const float *gate_up, int n, int f)
{
	const struct gated s = {y, NULL, gate_up, f};

	cpu_for(n, 1, (int64_t)n * f, swiglu_part, &s);
}

void cpu_swiglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f)
{
	const struct gated s = {dgate_up, dy, gate_up, f};

	cpu_for(n, 1, (int64_t)n * f, swiglu_backward_part, &s);
}

void cpu_geglu(float *y, const float *gate_up, int n, int f)
{
	const struct gated s = {y, NULL, gate_up, f};

	cpu_for(n, 1, (int64_t)n * f, geglu_part, &s);
}

void cpu_geglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f)
{
	const struct gated s = {dgate_up, dy, gate_up, f};

	cpu_for(n, 1, (int64_t)n * f, geglu_backward_part, &s);
}
