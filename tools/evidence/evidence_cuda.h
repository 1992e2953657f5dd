/*
 * The part of a story that tells of CUDA: who initialised the driver, who exported, opened, freed.
 * Their stacks may lie in the logs of several processes. Neighbours: evidence.h, callsite.h, text_cuda.h.
 */
#ifndef MPSAN_EVIDENCE_CUDA_H
#define MPSAN_EVIDENCE_CUDA_H

#include "callsite.h"

/* The scenes of one finding; which are there depends on its rule. */
struct cuda_subjects {
	const struct evidence_context *ctx;
	const struct facts *facts;
	const struct finding *finding;
	const struct fact_cuda_init *init; /* these three may be NULL */
	const struct ipc_piece *piece;
	const struct ipc_import *import;
	struct callsite initialiser, exporter, importer, freer, gone;
	struct fact_place exported, ended; /* places that no record has */
};

/* What happened at the moment: the call that suffers, or does the harm. */
struct cuda_event {
	const struct fact_place *at; /* NULL: the moment is none of CUDA's */
	uint64_t function, caller, stack, python, result;
};

/* False: the finding is not about CUDA. */
bool cuda_gather(struct cuda_subjects *subjects, const struct evidence_context *ctx,
		 const struct finding *finding);
void cuda_finish(struct cuda_subjects *subjects);

struct cuda_event cuda_event(const struct cuda_subjects *subjects);

/* `main_callsite` is that of the act. */
void cuda_args(const struct cuda_subjects *subjects, const struct callsite *main_callsite,
	       json_t *args);

/* The scene of a step, NULL for a step of another kind or one that is not there. */
const struct callsite *cuda_callsite(const struct cuda_subjects *subjects, enum step_role role);

/* Appends a step for each process that had the piece open. */
void cuda_import_steps(const struct cuda_subjects *subjects, json_t *args, const char *what,
		       json_t *steps);

/* What is the same in every run. */
void cuda_hash(const struct cuda_subjects *subjects, uint64_t *hash);

#endif
