/* activation.c - SwiGLU (Shazeer 2020): silu(gate) * up. */
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/exp.h"

struct swiglu {
	float *out;
	const float *dy, *gate_up;
	int f;
};

static void forward_part(const void *context, int from, int to)
{
	const struct swiglu *s = context;
	const int f = s->f;

	for (int i = from; i < to; i++) {
		const float *gate = s->gate_up + (size_t)i * 2 * f, *up = gate + f;
		float *y = s->out + (size_t)i * f;

#pragma omp simd
		for (int j = 0; j < f; j++)
			y[j] = gate[j] / (1.0f + exp_fast(-gate[j])) * up[j];
	}
}

void cpu_swiglu(float *y, const float *gate_up, int n, int f)
{
	const struct swiglu s = {y, NULL, gate_up, f};

	cpu_for(n, 1, (int64_t)n * f, forward_part, &s);
}

/* With s = 1 / (1 + exp(-gate)): d silu = s + gate * s * (1 - s). */
static void backward_part(const void *context, int from, int to)
{
	const struct swiglu *a = context;
	const int f = a->f;

	for (int i = from; i < to; i++) {
		const float *gate = a->gate_up + (size_t)i * 2 * f, *up = gate + f;
		const float *d = a->dy + (size_t)i * f;
		float *dgate = a->out + (size_t)i * 2 * f, *dup = dgate + f;

#pragma omp simd
		for (int j = 0; j < f; j++) {
			float g = gate[j], u = up[j], t = d[j];
			float s = 1.0f / (1.0f + exp_fast(-g));

			dgate[j] = t * u * (s + g * s * (1.0f - s));
			dup[j] = t * g * s;
		}
	}
}

void cpu_swiglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f)
{
	const struct swiglu s = {dgate_up, dy, gate_up, f};

	cpu_for(n, 1, (int64_t)n * f, backward_part, &s);
}
