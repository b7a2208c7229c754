/* gguf_model.h - the model that a GGUF file holds. */
#ifndef MODEL_GGUF_MODEL_H
#define MODEL_GGUF_MODEL_H

#include "model/gguf.h"
#include "model/model.h"

/* The configuration that the file's keys describe.  -1 and a message that names the key
 * or tensor (not the file), also for architectures that are not computed here. */
int gguf_model_config(const struct gguf *f, struct model_config *config, struct error *err);

/* As model_load(), from a file; every format becomes fp32. */
struct model *gguf_model_load(
	const char *path, const struct device *device, int with_grad, struct error *err);

#endif
