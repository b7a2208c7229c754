/*
 * cpu.h - the operations of the CPU device (kernels/device.h says what each
 * does), one family a file, and what they share.
 *
 * Work is cut over threads by rows, heads or columns of the output, never by
 * the terms of a sum, so that results do not depend on timing.
 */
#ifndef KERNELS_CPU_CPU_H
#define KERNELS_CPU_CPU_H

#include "kernels/device.h"
#include "kernels/cpu/parallel.h"

/* Makes the BLAS ready: one thread, for the threads are ours. */
void cpu_blas_prepare(void);

void cpu_matmul(enum transpose ta, enum transpose tb, int m, int n, int k, float alpha,
	const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

void cpu_gather_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c);
void cpu_scatter_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c);
void cpu_scatter_add_rows(float *y, const float *x, const int32_t *target, const int32_t *start,
	const int32_t *order, int n, int c);

void cpu_add_rmsnorm(float *sum, float *y, float *inv, const float *x, const float *delta,
	const float *gain, float eps, int n, int c);
void cpu_rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
	const float *inv, const float *gain, int n, int c);

void cpu_head_rmsnorm(float *y, int ldy, float *inv, const float *x, int ldx, const float *gain,
	float eps, int n, int n_heads, int head_dim);
void cpu_head_rmsnorm_backward(float *d, int ldd, float *dgain, const float *x, int ldx,
	const float *inv, const float *gain, int n, int n_heads, int head_dim);
void cpu_add_bias(float *x, int ldx, const float *bias, int n, int c);
void cpu_bias_backward(float *dbias, const float *dx, int ldx, int n, int c);

void cpu_rope(float *x, int ldx, const int32_t *positions, const float *cos_sin, int n, int n_heads,
	int head_dim, int backward);

void cpu_swiglu(float *y, const float *gate_up, int n, int f);
void cpu_swiglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f);

void cpu_geglu(float *y, const float *gate_up, int n, int f);
void cpu_geglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f);

void cpu_attention(const struct attention_shape *s, float *out, float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv);
void cpu_attention_backward(const struct attention_shape *s, float *dq, float *dk, float *dv,
	const float *dout, const float *out, const float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv, float *delta);

void cpu_head_forward(const struct head_shape *s, float *lse, float *logprob, float *entropy,
	const float *hidden, const float *w, float *scratch);
void cpu_head_backward(const struct head_shape *s, float *dhidden, float *dw,
	const float *coefficient, const float *hidden, const float *w, const float *lse,
	float *scratch);
void cpu_head_sample(const struct head_shape *s, int32_t *token, float *logprob,
	const double *uniform, const float *hidden, const float *w, float *scratch);

void cpu_axpby(float *y, const float *x, int64_t n, float alpha, float beta);
void cpu_sum_squares(double *result, const float *x, int64_t n);
void cpu_find_nonfinite(int64_t *index, const float *x, int64_t n);
void cpu_adamw(float *param, const float *grad, float *m, float *v, int64_t n,
	const struct adamw_args *args);
void cpu_muon_momentum(
	float *update, float *momentum, const float *grad, int64_t n, float mu, float grad_scale);
void cpu_divide_by_norm(
	float *y, const float *x, int64_t n, const double *sum_of_squares, float eps);

extern const struct device cpu_device;

#endif
