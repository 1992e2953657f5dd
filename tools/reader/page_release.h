/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which logs are read at a poll. A long job has thousands of processes that have ended; a look at their logs at
 * each poll would cost time, and keep their pages in memory. Neighbour: reader.c.
 */
#pragma once

#include "reader.h"

enum reading {
	READING,
	READING_LAST, /* nothing is added to it any more; what there is may not have been read */
	READ_OUT,
	RELEASED, /* its pages were given up */
};

/* Before logs are read: those up to READING_LAST have to be. */
void reading_begin(struct reader *reader, uint64_t now);
/* They have been read. */
void reading_end(struct reader *reader);
