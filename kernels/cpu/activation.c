/* activation.c - SwiGLU (Shazeer 2020): silu(gate) * up. */
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/exp.h"

void cpu_swiglu(float *y, const float *gate_up, int n, int f)
{
#pragma omp parallel for schedule(static) num_threads(cpu_threads) if (cpu_parallel((int64_t)n * f))
	for (int i = 0; i < n; i++) {
		const float *gate = gate_up + (size_t)i * 2 * f, *up = gate + f;
		float *out = y + (size_t)i * f;

#pragma omp simd
		for (int j = 0; j < f; j++)
			out[j] = gate[j] / (1.0f + exp_fast(-gate[j])) * up[j];
	}
}

/* With s = 1 / (1 + exp(-gate)): d silu = s + gate * s * (1 - s). */
void cpu_swiglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f)
{
#pragma omp parallel for schedule(static) num_threads(cpu_threads) if (cpu_parallel((int64_t)n * f))
	for (int i = 0; i < n; i++) {
		const float *gate = gate_up + (size_t)i * 2 * f, *up = gate + f;
		const float *d = dy + (size_t)i * f;
		float *dgate = dgate_up + (size_t)i * 2 * f, *dup = dgate + f;

#pragma omp simd
		for (int j = 0; j < f; j++) {
			float g = gate[j], u = up[j], t = d[j];
			float s = 1.0f / (1.0f + exp_fast(-g));

			dgate[j] = t * u * (s + g * s * (1.0f - s));
			dup[j] = t * g * s;
		}
	}
}
