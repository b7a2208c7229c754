/*
 * head.cu - the output head: log-probabilities of edges, their gradients, draws.
 * Logits exist for HEAD_CHUNK rows at a time, from one product with the whole matrix;
 * the backward pass computes them anew.  What a row may not predict is passed over.
 */
#include "kernels/cuda/cuda.cuh"

/* What a row may predict, ascending; ids NULL: the tokens 0 .. n - 1. */
struct head_list {
	const int32_t *ids;
	int n;
};

DEVICE_FN struct head_list head_list_of(const struct head_shape &s, int row)
{
	struct head_list l = {NULL, s.vocab};
	int from, to;

	if (!s.choice_start)
		return l;
	from = s.choice_start[row];
	to = s.choice_end ? s.choice_end[row] : s.choice_start[row + 1];
	if (from == to)
		return l;
	l.ids = s.choice + from;
	l.n = to - from;
	return l;
}

DEVICE_FN int head_token(const struct head_list &l, int k)
{
	return l.ids ? l.ids[k] : k;
}

DEVICE_FN bool head_has(const struct head_list &l, int32_t token)
{
	int low = 0, high = l.n;

	if (!l.ids)
		return true;
	while (low < high) {
		int middle = low + (high - low) / 2;

		if (l.ids[middle] < token)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l.n && l.ids[low] == token;
}

/* Log-sum-exp of a row by a block; the entropy is log Z - sum(p t), t being the logits
 * below their maximum. */
DEVICE_FN float row_lse(const float *logits, const struct head_list &l, float *entropy)
{
	float high = -INFINITY, sum = 0.0f, weighted = 0.0f;

	for (int k = (int)threadIdx.x; k < l.n; k += (int)blockDim.x)
		high = fmaxf(high, logits[head_token(l, k)]);
	high = block_max(high);
	/* A NaN is no maximum, but makes the sum one. */
	for (int k = (int)threadIdx.x; k < l.n; k += (int)blockDim.x) {
		float t = logits[head_token(l, k)] - high, e = expf(t);

		sum += e;
		weighted += e > 0.0f ? e * t : 0.0f;
	}
	sum = block_sum(sum);
	weighted = block_sum(weighted);
	*entropy = logf(sum) - weighted / sum;
	return high + logf(sum);
}

static __global__ void forward_rows(struct head_shape s, int first, float *lse, float *logprob,
	float *entropy, const float *scratch)
{
	const int r = first + (int)blockIdx.x;
	const struct head_list l = head_list_of(s, r);
	const float *logits = scratch + (size_t)blockIdx.x * s.vocab;
	float h, z = row_lse(logits, l, &h);

	if (threadIdx.x == 0)
		lse[r] = z;
	for (int e = s.start[r] + (int)threadIdx.x; e < s.start[r + 1]; e += (int)blockDim.x) {
		logprob[e] = head_has(l, s.token[e]) ? logits[s.token[e]] - z : -INFINITY;
		if (entropy)
			entropy[e] = h;
	}
}

/* d/dlogits of sum c_e logprob_e: the c_e at the tokens, minus (sum c) p. */
static __global__ void backward_rows(
	struct head_shape s, int first, const float *coefficient, const float *lse, float *scratch)
{
	const int r = first + (int)blockIdx.x;
	const struct head_list l = head_list_of(s, r);
	float *logits = scratch + (size_t)blockIdx.x * s.vocab, sum = 0.0f;
	const float z = lse[r];

	for (int e = s.start[r] + (int)threadIdx.x; e < s.start[r + 1]; e += (int)blockDim.x)
		sum += head_has(l, s.token[e]) ? coefficient[e] : 0.0f;
	sum = block_sum(sum);
	for (int j = (int)threadIdx.x; j < s.vocab; j += (int)blockDim.x)
		logits[j] = head_has(l, j) ? -sum * expf(logits[j] - z) : 0.0f;
	__syncthreads();
	for (int e = s.start[r]; threadIdx.x == 0 && e < s.start[r + 1]; e++)
		if (head_has(l, s.token[e]))
			logits[s.token[e]] += coefficient[e];
}

enum {
	DRAW_TILE = 1024, /* probabilities whose sum a draw need not add up again ... */
	DRAW_TILES = 1024 /* ... and how many such sums there are at most */
};

/* The first of equals; every thread returns it. */
DEVICE_FN int row_best(const float *logits, const struct head_list &l)
{
	SHARED(float, value, [BLOCK]);
	SHARED(int, place, [BLOCK]);
	int best = 0;

	for (int k = (int)threadIdx.x; k < l.n; k += (int)blockDim.x)
		if (k == (int)threadIdx.x || logits[head_token(l, k)] > logits[head_token(l, best)])
			best = k;
	value[threadIdx.x] = (int)threadIdx.x < l.n ? logits[head_token(l, best)] : -INFINITY;
	place[threadIdx.x] = best;
	__syncthreads();
	best = 0;
	for (int i = 1; i < min(BLOCK, l.n); i++)
		if (value[i] > value[best] || (value[i] == value[best] && place[i] < place[best]))
			best = i;
	return place[best];
}

/* Draws of one warp: the place whose stretch of the cumulated sums holds the target. */
DEVICE_FN int draw(const float *p, const struct head_list &l, const double *end, int tiles,
	int tile, double target)
{
	const int lane = (int)threadIdx.x % WARP;
	int low = 0, high = tiles - 1, last;
	double base;

	while (low < high) { /* the first tile that ends above the target, or the last one */
		int middle = (low + high) / 2;

		if (end[middle] > target)
			high = middle;
		else
			low = middle + 1;
	}
	base = low ? end[low - 1] : 0.0;
	last = l.n - 1;
	for (int k0 = low * tile; k0 < l.n && k0 < (low + 1) * tile; k0 += WARP) {
		const int k = k0 + lane;
		const double x =
			k < l.n && k < (low + 1) * tile ? (double)p[head_token(l, k)] : 0.0;
		double sum = x;
		unsigned over, some;

		for (int d = 1; d < WARP; d *= 2) {
			double below = __shfl_up_sync(0xffffffffu, sum, d);

			sum += lane >= d ? below : 0.0;
		}
		over = __ballot_sync(0xffffffffu, x > 0.0 && base + sum > target);
		some = __ballot_sync(0xffffffffu, x > 0.0);
		if (over)
			return k0 + __ffs((int)over) - 1;
		if (some)
			last = k0 + 31 - __clz((int)some);
		base += __shfl_sync(0xffffffffu, sum, WARP - 1);
	}
	/* Only rounding leads here: the last place that has any probability. */
	return last;
}

static __global__ void sample_rows(struct head_shape s, int first, int32_t *token, float *logprob,
	const double *uniform, float *scratch)
{
	const int r = first + (int)blockIdx.x, lane = (int)threadIdx.x % WARP;
	const int warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
	const struct head_list l = head_list_of(s, r);
	const int most = (l.n + DRAW_TILES - 1) / DRAW_TILES;
	const int tile = most > DRAW_TILE ? most : DRAW_TILE, tiles = (l.n + tile - 1) / tile;
	const int from = s.start[r], to = s.start[r + 1];
	float *logits = scratch + (size_t)blockIdx.x * s.vocab, entropy;
	const float z = row_lse(logits, l, &entropy);
	SHARED(double, end, [DRAW_TILES]);

	if (!isfinite(z) || s.inverse_temperature == 0.0f) {
		const int best = isfinite(z) ? row_best(logits, l) : -1;

		for (int d = from + (int)threadIdx.x; d < to; d += (int)blockDim.x) {
			token[d] = best < 0 ? -1 : head_token(l, best);
			logprob[d] = best < 0 ? z : logits[token[d]] - z;
		}
		return;
	}
	for (int b = warp; b < tiles; b += warps) {
		double sum = 0.0;

		for (int k = b * tile + lane; k < l.n && k < (b + 1) * tile; k += WARP) {
			float *x = &logits[head_token(l, k)];

			*x = expf(*x - z);
			sum += (double)*x;
		}
		sum = warp_sum(sum);
		if (lane == 0)
			end[b] = sum;
	}
	__syncthreads();
	if (threadIdx.x == 0)
		for (int b = 1; b < tiles; b++)
			end[b] += end[b - 1];
	__syncthreads();
	for (int d = from + warp; d < to; d += warps) {
		int k = draw(logits, l, end, tiles, tile, uniform[d] * end[tiles - 1]);

		if (lane == 0) {
			token[d] = head_token(l, k);
			logprob[d] = logf(logits[token[d]]);
		}
	}
}

/* Logits of the rows from `first` on; returns how many. */
static int chunk_logits(const struct head_shape *s, int first, float scale, const float *hidden,
	const float *w, float *scratch)
{
	const int n = s->n_rows - first < HEAD_CHUNK ? s->n_rows - first : HEAD_CHUNK;

	cuda_matmul(PLAIN, TRANSPOSED, n, s->vocab, s->hidden, scale,
		hidden + (size_t)first * s->hidden, s->hidden, w, s->hidden, 0.0f, scratch,
		s->vocab);
	return n;
}

void cuda_head_forward(const struct head_shape *s, float *lse, float *logprob, float *entropy,
	const float *hidden, const float *w, float *scratch)
{
	for (int r = 0; r < s->n_rows; r += HEAD_CHUNK) {
		int n = chunk_logits(s, r, s->inverse_temperature, hidden, w, scratch);

		LAUNCH(forward_rows, n, BLOCK, 0, cuda.stream, *s, r, lse, logprob, entropy,
			scratch);
		cuda_launched("head_forward");
	}
}

void cuda_head_backward(const struct head_shape *s, float *dhidden, float *dw,
	const float *coefficient, const float *hidden, const float *w, const float *lse,
	float *scratch)
{
	const int h = s->hidden, v = s->vocab;
	const float scale = s->inverse_temperature;

	for (int r = 0; r < s->n_rows; r += HEAD_CHUNK) {
		int n = chunk_logits(s, r, scale, hidden, w, scratch);
		const size_t at = (size_t)r * h;

		LAUNCH(backward_rows, n, BLOCK, 0, cuda.stream, *s, r, coefficient, lse, scratch);
		cuda_launched("head_backward");
		cuda_matmul(
			TRANSPOSED, PLAIN, v, h, n, scale, scratch, v, hidden + at, h, 1.0f, dw, h);
		cuda_matmul(PLAIN, PLAIN, n, h, v, scale, scratch, v, w, h, 0.0f, dhidden + at, h);
	}
}

void cuda_head_sample(const struct head_shape *s, int32_t *token, float *logprob,
	const double *uniform, const float *hidden, const float *w, float *scratch)
{
	const float scale = s->inverse_temperature == 0.0f ? 1.0f : s->inverse_temperature;

	for (int r = 0; r < s->n_rows; r += HEAD_CHUNK) {
		int n = chunk_logits(s, r, scale, hidden, w, scratch);

		LAUNCH(sample_rows, n, BLOCK, 0, cuda.stream, *s, r, token, logprob, uniform,
			scratch);
		cuda_launched("head_sample");
	}
}
