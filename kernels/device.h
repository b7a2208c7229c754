/*
 * device.h - the one device table.  The model, the trainer and the sampler are
 * written once against it and do not know which device they run on.
 *
 * Conventions.  Every pointer that an operation takes is device memory from
 * alloc(), except where it says "host".  Matrices are row-major; x[n, c] names
 * the shape; `ld` is the distance between rows in elements.  Numbers are fp32,
 * indices int32.  "Overwrites" and "adds to" say what happens to an output;
 * inputs and outputs never overlap unless the operation says so.  Operations
 * are called from one thread and queued in order; only sync() and download() wait.  Arguments are
 * the caller's responsibility (shapes are checked when a model is loaded), so no operation fails; a
 * device that breaks says so in sync().  Every operation is deterministic: the same inputs, the
 * same bytes, on a given device and thread count.
 */
#ifndef KERNELS_DEVICE_H
#define KERNELS_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

enum transpose {
	PLAIN,
	TRANSPOSED
};

/* Keys start .. start + len - 1 of the key buffers. */
struct key_range {
	int32_t start, len;
};

/* Query rows query .. query + n_queries - 1, a run of consecutive positions.
 * All of them attend to the ranges first_range .. first_range + n_ranges - 1
 * (their ancestors), and row query + i also to the keys own .. own + i.
 * In the backward pass a segment's keys are attended to by its own rows and by
 * rows up to `reach` only: the descendants of a tree node follow it. */
struct attention_segment {
	int32_t query, n_queries, own, first_range, n_ranges, reach;
};

struct attention_shape {
	/* n_heads is a multiple of n_kv_heads; head_dim is even and at most 256. */
	int n_heads, n_kv_heads, head_dim;
	float scale;   /* of the scores: 1 / sqrt(head_dim) */
	int window;    /* of its keys, in order, a row sees the last so many; 0: all */
	int n_queries; /* rows of q */
	int n_segments;
	const struct attention_segment *segments; /* [n_segments], device memory */
	const struct key_range *ranges;		  /* device memory */
};

/* Which rows of the hidden states predict something, and what.  Row r of the
 * n_rows compacted rows has the edges (or draws) start[r] .. start[r + 1] - 1. */
struct head_shape {
	int n_rows, hidden, vocab;
	float inverse_temperature;
	const int32_t *start; /* [n_rows + 1] */
	const int32_t *token; /* [start[n_rows]], the edges' tokens; sampling: unused */
	/* What a row may predict: the tokens choice[choice_start[r]] .. choice[choice_end[r] -
	 * 1], ascending, at most vocab of them; none: the whole vocabulary.  Logits of
	 * others do not exist: they take no part in sums and get no gradient.  An edge to
	 * one of them has log-probability -infinity and no part in gradients.  choice_start
	 * NULL: all rows have the whole vocabulary.  choice_end NULL: it is choice_start +
	 * 1; else rows may share a list. */
	const int32_t *choice_start, *choice_end, *choice;
};

struct adamw_args {
	float lr, beta1, beta2, eps, weight_decay;
	float correction1, correction2; /* 1 - beta1^t, 1 - beta2^t */
	float grad_scale;		/* of the gradient, for clipping */
};

/* Rows of the head computed at once: logits are never kept for all rows. */
enum {
	HEAD_CHUNK = 128
};

struct device {
	const char *name; /* "cpu" */

	/* --- memory ------------------------------------------------------- */

	/* bytes of device memory, 64-byte aligned, not cleared; NULL and a
	 * message where there is not enough. */
	void *(*alloc)(size_t bytes, struct error *err);
	void (*free)(void *p); /* NULL: nothing */
	void (*upload)(void *dst, const void *host_src, size_t bytes);
	void (*download)(void *host_dst, const void *src, size_t bytes); /* waits */
	void (*zero)(void *dst, size_t bytes);
	void (*copy)(void *dst, const void *src, size_t bytes);
	/* Waits for all that was queued; -1 and a message where any of it failed. */
	int (*sync)(struct error *err);

	/* --- matrix products ---------------------------------------------- */

	/* c[m, n] = alpha * op(a)[m, k] op(b)[k, n] + beta * c.  op() transposes
	 * where asked: a is stored [m, k] or TRANSPOSED [k, m].  beta 0 overwrites
	 * (c may hold NaNs).  So
	 *   y[n, m]   = x[n, k] w[m, k]^T    matmul(PLAIN, TRANSPOSED, n, m, k, ...)
	 *   dx[n, k]  = dy[n, m] w[m, k]     matmul(PLAIN, PLAIN, n, k, m, ...)
	 *   dw[m, k] += dy[n, m]^T x[n, k]   matmul(TRANSPOSED, PLAIN, m, k, n, ...) */
	void (*matmul)(enum transpose ta, enum transpose tb, int m, int n, int k, float alpha,
		const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

	/* --- rows --------------------------------------------------------- */

	/* y[i, 0..c) = x[index[i], 0..c), i < n.  Overwrites y.  Embedding: x the
	 * table, index the tokens. */
	void (*gather_rows)(
		float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c);
	/* y[index[i], 0..c) = x[i, 0..c), i < n; indices differ.  Other rows stay. */
	void (*scatter_rows)(
		float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c);
	/* Adds to y[target[u], 0..c) the rows x[order[i], 0..c) for i in start[u] ..
	 * start[u + 1] - 1, in that order; u < n; targets differ.  The gradient of
	 * the embedding. */
	void (*scatter_add_rows)(float *y, const float *x, const int32_t *target,
		const int32_t *start, const int32_t *order, int n, int c);

	/* --- norms, positions, activation ---------------------------------- */

	/* sum[n, c] = x + delta; y[n, c] = sum * inv[row] * gain[c] with
	 * inv[n] = 1 / sqrt(mean(sum^2) + eps).  Overwrites sum, y, inv.  delta
	 * NULL: sum is not written (x is the sum).  sum may be x. */
	void (*add_rmsnorm)(float *sum, float *y, float *inv, const float *x, const float *delta,
		const float *gain, float eps, int n, int c);
	/* Adds to dx[n, c] the gradient with regard to the sum, and to dgain[c];
	 * x is the sum, inv what the forward pass gave. */
	void (*rmsnorm_backward)(float *dx, float *dgain, const float *dy, const float *x,
		const float *inv, const float *gain, int n, int c);

	/* From here to bias_backward(), geglu(), geglu_backward(), and attention's window: what
	 * architectures beside Llama need.  A device may lack all of these: head_rmsnorm
	 * is NULL then, and models that need any of them are refused when memory is asked
	 * for.
	 *
	 * The same norm for each of the n_heads heads of head_dim that begin a row of x (and of
	 * y), all with one gain[head_dim]: y = x * inv * gain, inv[n, n_heads]. */
	void (*head_rmsnorm)(float *y, int ldy, float *inv, const float *x, int ldx,
		const float *gain, float eps, int n, int n_heads, int head_dim);
	/* Replaces the gradient d with regard to y by that with regard to x, and adds to
	 * dgain[head_dim]. */
	void (*head_rmsnorm_backward)(float *d, int ldd, float *dgain, const float *x, int ldx,
		const float *inv, const float *gain, int n, int n_heads, int head_dim);

	/* x[n, 0..c) += bias[c]; and its gradient, dbias[c] += the sum of the rows of dx. */
	void (*add_bias)(float *x, int ldx, const float *bias, int n, int c);
	void (*bias_backward)(float *dbias, const float *dx, int ldx, int n, int c);

	/* Rotates, in place, the n_heads heads of head_dim that begin each of the n
	 * rows of x (rotate-half form, as transformers): pairs (d, d + head_dim / 2)
	 * by the angle whose cosine and sine are in cos_sin[position, 2, head_dim / 2].
	 * backward: by minus the angle. */
	void (*rope)(float *x, int ldx, const int32_t *positions, const float *cos_sin, int n,
		int n_heads, int head_dim, int backward);

	/* y[n, f] = silu(gate) * up for gate_up[n, 2 f] = gate | up.  Overwrites y. */
	void (*swiglu)(float *y, const float *gate_up, int n, int f);
	/* Overwrites dgate_up[n, 2 f].  dgate_up may be gate_up. */
	void (*swiglu_backward)(
		float *dgate_up, const float *dy, const float *gate_up, int n, int f);

	/* The same two with the tanh approximation of GELU in the place of silu. */
	void (*geglu)(float *y, const float *gate_up, int n, int f);
	void (*geglu_backward)(
		float *dgate_up, const float *dy, const float *gate_up, int n, int f);

	/* --- attention over trees and caches ------------------------------- */

	/* out[n_queries, n_heads * head_dim] = softmax(scale q k^T) v over the keys
	 * that each row's segment lists, and lse[n_queries, n_heads], the natural
	 * log of the sum of exp of its scores.  q[n_queries, n_heads * head_dim];
	 * k, v [*, n_kv_heads * head_dim]; head h reads key head
	 * h / (n_heads / n_kv_heads).  Overwrites out and lse (rows of segments). */
	void (*attention)(const struct attention_shape *s, float *out, float *lse, const float *q,
		int ldq, const float *k, const float *v, int ldkv);
	/* Overwrites dq, dk, dv (with the row distances of q, k, v): queries and keys
	 * are the same n_queries rows, own == query in each segment, and segments
	 * come with parents before children.  delta[n_queries, n_heads] is scratch. */
	void (*attention_backward)(const struct attention_shape *s, float *dq, float *dk, float *dv,
		const float *dout, const float *out, const float *lse, const float *q, int ldq,
		const float *k, const float *v, int ldkv, float *delta);

	/* --- the head ------------------------------------------------------- */

	/* For each row logits = hidden[r] w^T * inverse_temperature (w[vocab, hidden]),
	 * of its choices where it has some;
	 * lse[n_rows] their log-sum-exp; for each edge e logprob[e] = logit - lse and,
	 * where entropy is not NULL, entropy[e] = that of the row's distribution, in
	 * nats.  Overwrites lse, logprob, entropy; scratch[HEAD_CHUNK * vocab]. */
	void (*head_forward)(const struct head_shape *s, float *lse, float *logprob, float *entropy,
		const float *hidden, const float *w, float *scratch);
	/* The gradients of sum_e coefficient[e] * logprob[e]: overwrites
	 * dhidden[n_rows, hidden], adds to dw[vocab, hidden].  lse as given by
	 * head_forward.  scratch[HEAD_CHUNK * vocab]. */
	void (*head_backward)(const struct head_shape *s, float *dhidden, float *dw,
		const float *coefficient, const float *hidden, const float *w, const float *lse,
		float *scratch);
	/* Draws.  For draw d of row r, token[d] is the first token whose cumulated
	 * probability exceeds uniform[d] (in [0, 1)) and logprob[d] its natural-log
	 * probability, both under softmax(logits * inverse_temperature).
	 * inverse_temperature 0 stands for greedy: the most probable token (the
	 * lowest of equals), with its log-probability at temperature 1.  A row whose
	 * logits are not finite gives token -1.  scratch[HEAD_CHUNK * vocab]. */
	void (*head_sample)(const struct head_shape *s, int32_t *token, float *logprob,
		const double *uniform, const float *hidden, const float *w, float *scratch);

	/* --- vectors, optimiser ---------------------------------------------- */

	/* y[n] = alpha * x + beta * y; beta 0 overwrites.  y may be x. */
	void (*axpby)(float *y, const float *x, int64_t n, float alpha, float beta);
	/* *result = sum of x[i]^2, in double precision; a NaN or infinity shows in it. */
	void (*sum_squares)(double *result, const float *x, int64_t n);
	/* *index = the first i with x[i] not finite, -1 where there is none. */
	void (*find_nonfinite)(int64_t *index, const float *x, int64_t n);

	/* AdamW (Loshchilov and Hutter 2019) over a flat range, with g = grad_scale *
	 * grad: m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
	 * param -= lr * (weight_decay * param +
	 *                (m / correction1) / (sqrt(v / correction2) + eps)). */
	void (*adamw)(float *param, const float *grad, float *m, float *v, int64_t n,
		const struct adamw_args *args);
	/* Muon's momentum (Jordan et al. 2024), with g = grad_scale * grad:
	 * momentum = mu momentum + g; update = g + mu momentum (Nesterov).
	 * Overwrites update. */
	void (*muon_momentum)(float *update, float *momentum, const float *grad, int64_t n,
		float mu, float grad_scale);
	/* y[n] = x / (sqrt(*sum_of_squares) + eps), the norm having stayed on the
	 * device.  The Newton-Schulz iteration itself is matmul(), copy() and this.
	 * y may be x. */
	void (*divide_by_norm)(
		float *y, const float *x, int64_t n, const double *sum_of_squares, float eps);
};

/* "auto", "cpu", "cuda", "cuda:N".  threads 0: all cores.  What was chosen is
 * said once with note().  NULL and a message (exit 69) where it is not there. */
const struct device *device_open(const char *name, int threads, struct error *err);

#endif
