/*
 * policy.h - a policy: a model and all that is needed to talk to it, in one Hugging
 * Face model directory: config.json, model.safetensors, tokenizer.json, and beside
 * them lexicon.txt (the words that are not values), policy.json (whose CLI it knows,
 * and how spans are shown) and cli.json (that CLI's grammar, so that the policy goes
 * on working where the grammar it was made for has changed since).
 */
#ifndef RL_POLICY_H
#define RL_POLICY_H

#include "model/model.h"
#include "text/constraint.h"

struct policy {
	char *dir; /* where it was read from; "" for a new one */
	struct tokenizer *tokenizer;
	struct lexicon *lexicon; /* NULL: every word is known */
	struct prompter prompter;
	struct model *model;
	enum spans_mode spans;
	char *cli;	    /* name of the CLI */
	char spec_hash[65]; /* SHA-256 of the spec it was made for */
	struct buf grammar; /* that spec: the bytes of cli.json; none in older directories */
	struct spec *spec;  /* the same, read; NULL until policy_constraint() */
	struct constraint *constraints[2]; /* by ground; NULL until asked for */
	char *entered; /* the directory behind path: of an archive, a temporary one */
	int is_temporary;
};

/* Opens a model directory, a run of step-N directories (the newest one), or a
 * .tar.zst of a model directory.  NULL and a message on failure, which a cli.json
 * is that is not the one that policy.json names. */
struct policy *policy_open(
	const char *path, const struct device *device, int with_grad, struct error *err);
/* Puts a policy together from parts, which it takes over (also on failure).  The
 * grammar of the CLI, the bytes of a spec, is copied. */
struct policy *policy_new(struct tokenizer *tokenizer, struct lexicon *lexicon, struct model *model,
	enum spans_mode spans, const char *cli, const struct buf *grammar, struct error *err);
void policy_free(struct policy *p);

/* Writes the policy into an existing directory; updates model->hash.  Files that
 * training does not change are hard links to those of p->dir where that can be. */
int policy_save(struct policy *p, const char *dir, struct error *err);

/* What the policy's answers are held to: the grammar it was made for, and, with
 * ground, the values that a request states.  The policy's.  NULL and a message where
 * it has no grammar, or one that cannot be read. */
struct constraint *policy_constraint(struct policy *p, int ground, struct error *err);

/* Takes the weights (and the hash) of another step of the same run. */
int policy_reload(struct policy *p, const char *dir, struct error *err);

#endif
