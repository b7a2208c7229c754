/* device.c - the CPU's table, and its memory. */
#include "kernels/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

static void *memory_alloc(size_t bytes, struct error *err)
{
	void *p = NULL;

	if (bytes <= SIZE_MAX - 64)
		p = aligned_alloc(64, bytes ? (bytes + 63) & ~(size_t)63 : 64);
	if (!p)
		error_set(err, EXIT_UNAVAILABLE, "not enough memory for %zu bytes", bytes);
	return p;
}

static void memory_free(void *p)
{
	free(p);
}

static void memory_copy(void *dst, const void *src, size_t bytes)
{
	if (bytes)
		memcpy(dst, src, bytes);
}

static void memory_zero(void *dst, size_t bytes)
{
	if (bytes)
		memset(dst, 0, bytes);
}

static int memory_sync(struct error *err)
{
	(void)err;
	return 0;
}

const struct device cpu_device = {
	.name = "cpu",
	.alloc = memory_alloc,
	.free = memory_free,
	.upload = memory_copy,
	.download = memory_copy,
	.zero = memory_zero,
	.copy = memory_copy,
	.sync = memory_sync,
	.matmul = cpu_matmul,
	.gather_rows = cpu_gather_rows,
	.scatter_rows = cpu_scatter_rows,
	.scatter_add_rows = cpu_scatter_add_rows,
	.add_rmsnorm = cpu_add_rmsnorm,
	.rmsnorm_backward = cpu_rmsnorm_backward,
	.head_rmsnorm = cpu_head_rmsnorm,
	.head_rmsnorm_backward = cpu_head_rmsnorm_backward,
	.add_bias = cpu_add_bias,
	.bias_backward = cpu_bias_backward,
	.rope = cpu_rope,
	.swiglu = cpu_swiglu,
	.swiglu_backward = cpu_swiglu_backward,
	.geglu = cpu_geglu,
	.geglu_backward = cpu_geglu_backward,
	.attention = cpu_attention,
	.attention_backward = cpu_attention_backward,
	.head_forward = cpu_head_forward,
	.head_backward = cpu_head_backward,
	.head_sample = cpu_head_sample,
	.axpby = cpu_axpby,
	.sum_squares = cpu_sum_squares,
	.find_nonfinite = cpu_find_nonfinite,
	.adamw = cpu_adamw,
	.muon_momentum = cpu_muon_momentum,
	.divide_by_norm = cpu_divide_by_norm,
};
