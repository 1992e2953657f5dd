/*
 * The course of a run: what it did, as far as a practice is about that, whether it came to its end, and how its
 * processes ended. Neighbours: practices.c asks.
 */
#ifndef MPSAN_COURSE_H
#define MPSAN_COURSE_H

#include "../findings/judge.h"

/* What a run must have done, or been, for a practice to show in it; bits. */
enum course_need {
	WORKERS = 1, /* workers of a Python program */
	FORKS = 2, /* that program was copied */
	NO_FORKS = 4, /* it was not */
	STARTED = 8, /* children of spawn or forkserver */
	LOADER = 16, /* workers of a DataLoader */
	JOINED = 32, /* each worker was asked for its end */
	TENSORS = 64, /* of PyTorch's, in shared memory */
	CUDA = 128,
	EXPORTS = 256, /* device memory of which another process got a handle */
	IMPORTS = 512, /* and that another process opened */
	SHARED = 1024, /* tensors or device memory */
	GROUP = 2048, /* process groups of torch.distributed */
	ANYTHING = 4096, /* to be cleaned up */
	/* by a supervisor, without which nothing is known of waits and leftovers */
	FOLLOWED = 8192,
};

/* How all processes of the Python program must have ended. */
enum course_ends {
	ANYHOW,
	UNHURT, /* none crashed, failed, or was still there */
	UNKILLED, /* nor did a process of the job end another by a signal */
};

/* What is missing, in words; NULL: nothing. */
const char *course_missing(const struct judge *judge, unsigned needs);

/*
 * Why the run did not come to its end: it was ended after a proof, by a signal, by a time limit, or hangs; `end` is what
 * its document says of that. NULL: it did. Owned by the caller.
 */
char *course_cut_off(const struct judge *judge, const json_t *end);

/* Who ended otherwise, and how; NULL: nobody. Owned by the caller. */
char *course_hurt(const struct judge *judge, enum course_ends ends);

#endif
