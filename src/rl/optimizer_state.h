/* optimizer_state.h - the inside of struct optimizer, for optimizer*.c only. */
#ifndef RL_OPTIMIZER_STATE_H
#define RL_OPTIMIZER_STATE_H

#include "rl/optimizer.h"

/* State of one tensor, device memory of its size. */
struct slot {
	int muon;
	float *first;  /* AdamW's first moment, or Muon's momentum */
	float *second; /* AdamW's second moment; NULL with Muon */
};

struct optimizer {
	struct model *model;
	struct optimizer_options options;
	struct slot *slots;   /* [n_tensors] */
	long long steps;      /* updates made so far */
	float *state;	      /* what the slots point into */
	float *update, *next; /* scratch, the largest matrix */
	float *gram, *poly;   /* scratch, the largest square of a shorter side */
	double *number;	      /* one number on the device */
};

#endif
