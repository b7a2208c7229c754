/*
 * attention.cu - attention of runs of queries over lists of key ranges, forward.
 *
 * A block takes a tile of pairs (query row, head of a group that shares keys) over all
 * keys that its segment lists, in blocks of a warp's width with a running maximum and
 * sum (Milakov and Gimelshein 2018): scores exist in registers only.
 */
#include "kernels/cuda/attention.cuh"

template <int NJ>
static __global__ void attention(struct attention_shape s, float *out, float *lse, const float *q,
	int ldq, const float *k, const float *v, int ldkv)
{
	const int hd = s.head_dim, group = s.n_heads / s.n_kv_heads, kv = (int)blockIdx.y;
	const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
	const struct attention_segment g = s.segments[blockIdx.x];
	const int ancestors = key_count(s.ranges + g.first_range, g.n_ranges);
	SHARED(int32_t, key, [WARP]);
	SHARED_DYN(float, sk);
	float *sv = sk + WARP * (hd + 1), *sq = sv + WARP * hd;

	for (int first = (int)blockIdx.z * TILE; first < g.n_queries * group;
		first += (int)gridDim.z * TILE) {
		const int pairs = min(TILE, g.n_queries * group - first);
		const int keys = ancestors + (first + pairs - 1) / group + 1;
		struct key_cursor cursor = key_cursor_start(s.ranges, &g);
		float high[OWN], sum[OWN], acc[OWN][NJ];

		for (int i = 0; i < OWN; i++) {
			high[i] = -INFINITY;
			sum[i] = 0.0f;
			for (int j = 0; j < NJ; j++)
				acc[i][j] = 0.0f;
		}
		load_pairs(sq, hd, q, ldq, &g, kv, group, first, pairs, hd);
		for (int before = 0; before < keys; before += WARP) {
			const int n = min(WARP, keys - before);

			if (hidden_keys(s.window, ancestors + first / group, before) >= n)
				continue;
			if (warp == 0 && lane < n)
				key[lane] = key_at(&cursor, before + lane);
			__syncthreads();
			load_keys(sk, hd + 1, k + kv * hd, ldkv, key, n, hd);
			load_keys(sv, hd, v + kv * hd, ldkv, key, n, hd);
			__syncthreads();
#pragma unroll
			for (int i = 0; i < OWN; i++) {
				const int p = warp * OWN + i;
				const int seen =
					min(n, ancestors + (first + p) / group + 1 - before);
				const int hidden = hidden_keys(
					s.window, ancestors + (first + p) / group, before);
				float x = -INFINITY, top, old, e;

				if (p >= pairs || seen <= hidden)
					continue;
				if (lane >= hidden && lane < seen)
					x = s.scale * dot(sq + p * hd, sk + lane * (hd + 1), hd);
				top = fmaxf(high[i], warp_max(x));
				/* A NaN is no maximum, but makes the sum one. */
				e = lane >= hidden && lane < seen ? expf(x - top) : 0.0f;
				old = sum[i] == 0.0f ? 0.0f : expf(high[i] - top);
				sum[i] = sum[i] * old + warp_sum(e);
				high[i] = top;
				add_weighted<NJ>(acc[i], old, e, sv, hd, seen, lane, hd, hidden);
			}
			__syncthreads();
		}
#pragma unroll
		for (int i = 0; i < OWN; i++) {
			const int p = warp * OWN + i;
			const size_t at = pair_at(&g, first + p, kv, group, s.n_heads);

			if (p >= pairs)
				continue;
			for (int j = 0; j < NJ; j++)
				if (lane + j * WARP < hd)
					out[at * hd + lane + j * WARP] = acc[i][j] / sum[i];
			if (lane == 0)
				lse[at] = high[i] + logf(sum[i]);
		}
	}
}

template <int NJ>
static void launch(const struct attention_shape *s, float *out, float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv)
{
	const int hd = s->head_dim;
	const size_t bytes = sizeof(float) * (WARP * (hd + 1) + WARP * hd + TILE * hd);

	cuda_check(cudaFuncSetAttribute(
			   attention<NJ>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
		"attention");
	LAUNCH((attention<NJ>), attention_grid(s), THREADS, bytes, cuda.stream, *s, out, lse, q,
		ldq, k, v, ldkv);
	cuda_launched("attention");
}

void cuda_attention(const struct attention_shape *s, float *out, float *lse, const float *q,
	int ldq, const float *k, const float *v, int ldkv)
{
	if (s->n_segments <= 0 || s->n_queries <= 0)
		return;
	if (s->head_dim <= 32)
		launch<1>(s, out, lse, q, ldq, k, v, ldkv);
	else if (s->head_dim <= 64)
		launch<2>(s, out, lse, q, ldq, k, v, ldkv);
	else if (s->head_dim <= 128)
		launch<4>(s, out, lse, q, ldq, k, v, ldkv);
	else
		launch<8>(s, out, lse, q, ldq, k, v, ldkv);
}
