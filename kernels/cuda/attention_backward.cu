/*
 * attention_backward.cu - gradients of tree attention.
 *
 * With p = exp(score - lse) and delta = sum(dout * out) (Dao et al. 2022):
 * dv += p dout, ds = p (dout . v - delta) scale, dq += ds k, dk += ds q.  One kernel
 * owns tiles of queries and walks over keys, one owns tiles of keys and walks over the
 * rows that see them, so each sum has one owner and one order, without atomics.
 */
#include "kernels/cuda/attention.cuh"

struct gradients {
	struct attention_shape s;
	float *dq, *dk, *dv, *delta;
	const float *dout, *out, *lse, *q, *k, *v;
	int ldq, ldkv;
	const int32_t *own; /* [n_queries], a row's own key among its keys; NULL: no window */
};

static __global__ void own_keys(struct attention_shape s, int32_t *own)
{
	const struct attention_segment g = s.segments[blockIdx.x];
	const int ancestors = key_count(s.ranges + g.first_range, g.n_ranges);

	for (int i = (int)threadIdx.x; i < g.n_queries; i += (int)blockDim.x)
		own[g.query + i] = ancestors + i;
}

/* A warp a pair. */
static __global__ void deltas(float *delta, const float *dout, const float *out, int pairs, int hd)
{
	const int lane = (int)threadIdx.x % WARP;

	for (int i = (int)(blockIdx.x * WARPS + threadIdx.x / WARP); i < pairs;
		i += (int)gridDim.x * WARPS) {
		float sum = 0.0f;

		for (int d = lane; d < hd; d += WARP)
			sum += dout[(size_t)i * hd + d] * out[(size_t)i * hd + d];
		sum = warp_sum(sum);
		if (lane == 0)
			delta[i] = sum;
	}
}

template <int NJ> static __global__ void query_gradients(struct gradients t)
{
	const struct attention_shape s = t.s;
	const int hd = s.head_dim, group = s.n_heads / s.n_kv_heads, kv = (int)blockIdx.y;
	const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
	const struct attention_segment g = s.segments[blockIdx.x];
	const int ancestors = key_count(s.ranges + g.first_range, g.n_ranges);
	SHARED(int32_t, key, [WARP]);
	SHARED_DYN(float, sk);
	float *sv = sk + WARP * (hd + 1), *sq = sv + WARP * (hd + 1), *sd = sq + TILE * hd;

	for (int first = (int)blockIdx.z * TILE; first < g.n_queries * group;
		first += (int)gridDim.z * TILE) {
		const int pairs = min(TILE, g.n_queries * group - first);
		const int keys = ancestors + (first + pairs - 1) / group + 1;
		struct key_cursor cursor = key_cursor_start(s.ranges, &g);
		float acc[OWN][NJ];

		for (int i = 0; i < OWN; i++)
			for (int j = 0; j < NJ; j++)
				acc[i][j] = 0.0f;
		load_pairs(sq, hd, t.q, t.ldq, &g, kv, group, first, pairs, hd);
		load_pairs(sd, hd, t.dout, s.n_heads * hd, &g, kv, group, first, pairs, hd);
		for (int before = 0; before < keys; before += WARP) {
			const int n = min(WARP, keys - before);

			if (hidden_keys(s.window, ancestors + first / group, before) >= n)
				continue;
			if (warp == 0 && lane < n)
				key[lane] = key_at(&cursor, before + lane);
			__syncthreads();
			load_keys(sk, hd + 1, t.k + kv * hd, t.ldkv, key, n, hd);
			load_keys(sv, hd + 1, t.v + kv * hd, t.ldkv, key, n, hd);
			__syncthreads();
#pragma unroll
			for (int i = 0; i < OWN; i++) {
				const int p = warp * OWN + i;
				const int seen =
					min(n, ancestors + (first + p) / group + 1 - before);
				const int hidden = hidden_keys(
					s.window, ancestors + (first + p) / group, before);
				const size_t at = pair_at(&g, first + p, kv, group, s.n_heads);
				float ds = 0.0f;

				if (p >= pairs || seen <= hidden)
					continue;
				if (lane >= hidden && lane < seen) {
					float x = dot(sq + p * hd, sk + lane * (hd + 1), hd);
					float dp = dot(sd + p * hd, sv + lane * (hd + 1), hd);

					ds = expf(s.scale * x - t.lse[at]) * (dp - t.delta[at]) *
					     s.scale;
				}
				add_weighted<NJ>(
					acc[i], 1.0f, ds, sk, hd + 1, seen, lane, hd, hidden);
			}
			__syncthreads();
		}
#pragma unroll
		for (int i = 0; i < OWN; i++) {
			const int p = warp * OWN + i, h = kv * group + (first + p) % group;
			float *to = t.dq + (size_t)(g.query + (first + p) / group) * t.ldq + h * hd;

			for (int j = 0; p < pairs && j < NJ; j++)
				if (lane + j * WARP < hd)
					to[lane + j * WARP] = acc[i][j];
		}
	}
}

/* Keys of the segment's own rows, TILE at a time; the rows that see them are theirs and
 * those behind, up to reach: the descendants. */
template <int NJ> static __global__ void key_gradients(struct gradients t)
{
	const struct attention_shape s = t.s;
	const int hd = s.head_dim, group = s.n_heads / s.n_kv_heads, kv = (int)blockIdx.y;
	const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
	const struct attention_segment own = s.segments[blockIdx.x];
	const int ancestors = key_count(s.ranges + own.first_range, own.n_ranges);
	SHARED(int32_t, key, [TILE]);
	SHARED_DYN(float, sq);
	float *sd = sq + WARP * (hd + 1), *sk = sd + WARP * (hd + 1), *sv = sk + TILE * hd;

	for (int first = (int)blockIdx.z * TILE; first < own.n_queries;
		first += (int)gridDim.z * TILE) {
		const int keys = min(TILE, own.n_queries - first), row = own.own + first;
		const int pairs = (own.reach - row) * group;
		/* From the first of these keys on, all rows are pairs of one run. */
		const struct attention_segment g = {row, own.reach - row, row, 0, 0, own.reach};
		float dk[OWN][NJ], dv[OWN][NJ];

		for (int i = 0; i < OWN; i++)
			for (int j = 0; j < NJ; j++)
				dk[i][j] = dv[i][j] = 0.0f;
		if ((int)threadIdx.x < keys)
			key[threadIdx.x] = row + (int)threadIdx.x;
		__syncthreads();
		load_keys(sk, hd, t.k + kv * hd, t.ldkv, key, keys, hd);
		load_keys(sv, hd, t.v + kv * hd, t.ldkv, key, keys, hd);
		for (int before = 0; before < pairs; before += WARP) {
			const int n = min(WARP, pairs - before);
			const size_t at = pair_at(&g, before + lane, kv, group, s.n_heads);

			load_pairs(sq, hd + 1, t.q, t.ldq, &g, kv, group, before, n, hd);
			load_pairs(
				sd, hd + 1, t.dout, s.n_heads * hd, &g, kv, group, before, n, hd);
			__syncthreads();
#pragma unroll
			for (int i = 0; i < OWN; i++) {
				const int j = warp * OWN + i;
				/* Pairs of rows before the key do not see it. */
				const int from = max(0, j * group - before);
				float p = 0.0f, ds = 0.0f;

				if (j >= keys || from >= n)
					continue;
				if (lane >= from && lane < n &&
					!(t.own && hidden_keys(s.window,
							   t.own[g.query + (before + lane) / group],
							   ancestors + first + j) > 0)) {
					float x = dot(sk + j * hd, sq + lane * (hd + 1), hd);
					float dp = dot(sv + j * hd, sd + lane * (hd + 1), hd);

					p = expf(s.scale * x - t.lse[at]);
					ds = p * (dp - t.delta[at]) * s.scale;
				}
				add_weighted<NJ>(dk[i], 1.0f, ds, sq, hd + 1, n, lane, hd, from);
				add_weighted<NJ>(dv[i], 1.0f, p, sd, hd + 1, n, lane, hd, from);
			}
			__syncthreads();
		}
#pragma unroll
		for (int i = 0; i < OWN; i++) {
			const int j = warp * OWN + i;
			const size_t to = (size_t)(row + j) * t.ldkv + kv * hd;

			for (int c = 0; j < keys && c < NJ; c++)
				if (lane + c * WARP < hd) {
					t.dk[to + lane + c * WARP] = dk[i][c];
					t.dv[to + lane + c * WARP] = dv[i][c];
				}
		}
		__syncthreads();
	}
}

template <int NJ> static void launch(const struct gradients &t)
{
	const int hd = t.s.head_dim, pairs = t.s.n_queries * t.s.n_heads;
	const size_t bytes = sizeof(float) * (2 * WARP * (hd + 1) + 2 * TILE * hd);

	cuda_check(cudaFuncSetAttribute(query_gradients<NJ>,
			   cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
		"attention_backward");
	cuda_check(cudaFuncSetAttribute(key_gradients<NJ>,
			   cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
		"attention_backward");
	LAUNCH(deltas, cuda_blocks(pairs, WARPS), THREADS, 0, cuda.stream, t.delta, t.dout, t.out,
		pairs, hd);
	LAUNCH((query_gradients<NJ>), attention_grid(&t.s), THREADS, bytes, cuda.stream, t);
	LAUNCH((key_gradients<NJ>), attention_grid(&t.s), THREADS, bytes, cuda.stream, t);
	cuda_launched("attention_backward");
}

void cuda_attention_backward(const struct attention_shape *s, float *dq, float *dk, float *dv,
	const float *dout, const float *out, const float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv, float *delta)
{
	int32_t *own = NULL;

	if (s->n_segments <= 0 || s->n_queries <= 0)
		return;
	if (s->window) {
		own = (int32_t *)cuda_scratch(
			(size_t)s->n_queries * sizeof *own, "attention_backward");
		if (!own)
			return;
		LAUNCH(own_keys, s->n_segments, THREADS, 0, cuda.stream, *s, own);
	}
	const struct gradients t = {*s, dq, dk, dv, delta, dout, out, lse, q, k, v, ldq, ldkv, own};

	if (s->head_dim <= 32)
		launch<1>(t);
	else if (s->head_dim <= 64)
		launch<2>(t);
	else if (s->head_dim <= 128)
		launch<4>(t);
	else
		launch<8>(t);
}
