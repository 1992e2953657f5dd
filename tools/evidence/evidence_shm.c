/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of findings about shared memory. */
#include "evidence_shm.h"

#include <stdlib.h>

#include "args.h"
#include "text_cuda.h"
#include "text_process.h"
#include "text_shm.h"

bool shm_maker_callsite(const struct event_subjects *subjects, struct callsite *callsite,
			struct fact_place *at)
{
	const struct fact_event *made = shm_made(subjects->facts, subjects->finding->segment);

	if (!made)
		return false;
	*at = reader_event_place(subjects->ctx->reader, made);
	callsite_init(subjects->ctx, callsite, at, at->tid, EVENT_AS(made, shm)->stack,
		      EVENT_AS(made, shm)->python);
	callsite_locate(subjects->ctx, callsite, EVENT_AS(made, shm)->caller, true);
	return true;
}

/* The rate of counted segments, from the first to the last, which is the finding's cause. */
static char *rate_text(const struct event_subjects *subjects)
{
	const struct fact_event *last = subjects->cause;
	uint64_t first_ns = 0, bytes = shm_bytes(subjects->facts, subjects->finding->segment);

	if (!last)
		return NULL;
	for (uint32_t at = fact_event_of(subjects->facts, last->by, EV_shm, FACT_NONE);
	     at != FACT_NONE; at = fact_event_of(subjects->facts, last->by, EV_shm, at))
		if (MPSAN_LATER_BYTES(event_later(&subjects->facts->events[at])) == bytes)
			first_ns = event_time(&subjects->facts->events[at]);
	if (!first_ns || event_time(last) <= first_ns)
		return text_copy("at once");
	return text_format("%.0f per second", (double)subjects->finding->amount * 1e9 /
						      (double)(event_time(last) - first_ns));
}

static void segment_args(const struct event_subjects *subjects, json_t *args)
{
	const struct reader *reader = subjects->ctx->reader;
	uint32_t segment = subjects->finding->segment, maker = shm_maker(subjects->facts, segment);
	const struct fact_event *then = subjects->event ? subjects->event : subjects->cause;

	args_set(args, ARG_segment, segment_text(reader, segment));
	args_set(args, ARG_segment_bytes, bytes_text(shm_bytes(subjects->facts, segment)));
	args_set(args, ARG_maker,
		 maker == FACT_NONE ? text_copy("an unknown process") :
				      process_text(reader, maker));
	args_set(args, ARG_maker_end,
		 maker == FACT_NONE ? NULL : process_end_text(reader, maker, NULL));
	args_set(args, ARG_made_at,
		 text_copy(subjects->maker.where ? subjects->maker.where : "an unknown place"));
	args_set(args, ARG_mappers,
		 segment_mappers(reader, segment,
				 then ? event_time(then) : subjects->facts->now_ns));
	args_set(args, ARG_total,
		 bytes_text(subjects->finding->amount * shm_bytes(subjects->facts, segment)));
	if (subjects->finding->amount)
		args_set(args, ARG_rate, rate_text(subjects));
}

static void kept_args(const struct fact_event *event, json_t *args)
{
	if (event && event->type == EV_shm_kept)
		args_set(args, ARG_kept,
			 kept_text(EVENT_AS(event, shm_kept)->count,
				   EVENT_AS(event, shm_kept)->bytes));
}

void shm_args(const struct event_subjects *subjects, json_t *args)
{
	const struct fact_event *event = subjects->event, *cause = subjects->cause;

	kept_args(event, args);
	kept_args(cause, args);
	if (event && event->type == EV_sock_refused)
		args_set(args, ARG_failure, connect_text(EVENT_AS(event, sock_refused)->result));
	if (event && (event->type == EV_shm_size || event->type == EV_fault))
		args_set(args, ARG_free_text, free_text(event_field(event, "free")));
	if (event && event->type == EV_shm_refused &&
	    EVENT_AS(event, shm_refused)->reason == MPSAN_SHM_NO_SPACE)
		args_set(args, ARG_free_text, free_text(EVENT_AS(event, shm_refused)->limit));
	if (event && event->type == EV_shm_left && !EVENT_AS(event, shm_left)->bytes)
		args_set(args, ARG_bytes, text_copy("nothing in it"));
	if (cause && cause->type == EV_shm_size)
		args_set(args, ARG_cause_free_text, free_text(EVENT_AS(cause, shm_size)->free));
	segment_args(subjects, args);
}
