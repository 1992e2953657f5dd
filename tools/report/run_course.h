/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The course of a run: what it did as far as best practices are about that, whether it ended, and
 * how its processes ended. Neighbour: practices.c.
 */
#pragma once

#include "../findings/judge.h"

/* What a run must have done for a practice to be observable; bits. */
enum run_need {
	WORKERS = 1, /* workers of a Python program */
	FORKS = 2, /* the Python program forked */
	NO_FORKS = 4, /* it did not fork */
	STARTED = 8, /* children of spawn or forkserver */
	LOADER = 16, /* workers of a DataLoader */
	JOINED = 32, /* every worker was joined */
	TENSORS = 64, /* PyTorch tensors in shared memory */
	CUDA = 128,
	EXPORTS = 256, /* exported device memory */
	IMPORTS = 512, /* imported device memory */
	SHARED = 1024, /* tensors or device memory */
	GROUP = 2048, /* process groups of torch.distributed */
	ANYTHING = 4096, /* anything to clean up */
	/* by a supervisor, needed for waits and leftovers */
	FOLLOWED = 8192,
};

/* How all processes of the Python program must have ended for a practice to count as kept. */
enum run_ends {
	ANYHOW,
	UNHURT, /* none crashed, failed, or was still running */
	UNKILLED, /* and none was killed by another process of the job */
};

/* What is missing; NULL: nothing. */
const char *run_missing(const struct judge *judge, unsigned needs);

/*
 * Why the run is incomplete: killed after a proof, by a signal or a time limit, or still hanging;
 * `end` is the `exit` of its document. NULL: it is complete. The caller frees the text.
 */
char *run_cut_off(const struct judge *judge, const json_t *end);

/* Which processes ended otherwise, and how; NULL: none. The caller frees the text. */
char *run_hurt(const struct judge *judge, enum run_ends ends);
