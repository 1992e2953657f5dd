/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the workers of each pool by the names of their threads. */
#include "text_pools.h"

#include <stdlib.h>
#include <string.h>

#include "../rules/dead_ends.h"
#include "text_locks.h"

/* The executor numbers its threads: "ThreadPoolExecutor-0_1". Other pools do not name them. */
static char *pool_of(const char *thread)
{
	const char *number = thread ? strrchr(thread, '_') : NULL;

	return number && number > thread && number[1] &&
			       strspn(number + 1, "0123456789") == strlen(number + 1) ?
		       text_format("%.*s", (int)(number - thread), thread) :
		       text_copy("a thread pool");
}

static void count_worker(const struct evidence_context *ctx, const struct fact_blocked *blocked,
			 json_t *counts)
{
	char *thread = thread_text(ctx->reader, ctx->frames, blocked->at.by, blocked->at.tid,
				   blocked->at.time_ns),
	     *pool = pool_of(thread);
	json_int_t before = json_integer_value(json_object_get(counts, pool));

	json_object_set_new(counts, pool, json_integer(before + 1));
	free(pool);
	free(thread);
}

char *pools_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	const struct facts *facts = &ctx->reader->facts;
	json_t *counts = json_object(), *count;
	char *list = text_copy("");
	const char *pool;

	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (dead_end_is_nested(&facts->blockeds[i]))
			count_worker(ctx, &facts->blockeds[i], counts);
	json_object_foreach(counts, pool, count)
	{
		long long workers = json_integer_value(count);

		list = text_join(list, " and ",
				 text_format("%lld %s of %s", workers,
					     workers == 1 ? "worker" : "workers", pool));
	}
	json_decref(counts);
	return list;
}
