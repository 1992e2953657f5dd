/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a finding's evidence about CUDA: who initialised the driver, exported, opened, freed.
 * The stacks may be in the logs of several processes. Neighbours: evidence.h, callsite.h,
 * text_cuda.h.
 */
#pragma once

#include "callsite.h"

/* The call sites of one finding; which are set depends on its rule. */
struct cuda_subjects {
	const struct evidence_context *ctx;
	const struct facts *facts;
	const struct finding *finding;
	const struct fact_cuda_init *init; /* these may be NULL */
	const struct ipc_piece *piece;
	const struct ipc_import *import;
	struct callsite initialiser, exporter, importer, freer, gone;
	struct fact_place exported, ended; /* places without a record */
};

/* The triggering event: the call that suffers or does the harm. */
struct cuda_event {
	const struct fact_place *at; /* NULL: the trigger is not about CUDA */
	uint64_t function, caller, stack, python, result;
};

/* False: the finding is not about CUDA. */
bool cuda_gather(struct cuda_subjects *subjects, const struct evidence_context *ctx,
		 const struct finding *finding);
void cuda_finish(struct cuda_subjects *subjects);

struct cuda_event cuda_event(const struct cuda_subjects *subjects);

/* `main_callsite` is that of the triggering event. */
void cuda_args(const struct cuda_subjects *subjects, const struct callsite *main_callsite,
	       json_t *args);

/* The call site of a step; NULL for a step of another kind or without one. */
const struct callsite *cuda_callsite(const struct cuda_subjects *subjects, enum step_role role);

/* Appends a step for each process that had the piece open. */
void cuda_import_steps(const struct cuda_subjects *subjects, json_t *args, const char *what,
		       json_t *steps);

/* Mixes what is equal in every run into the fingerprint. */
void cuda_hash(const struct cuda_subjects *subjects, uint64_t *hash);
