/* See story_shm.h. */
#include "story_shm.h"

#include <stdlib.h>

#include "text_cuda.h"
#include "text_process.h"
#include "text_shm.h"
#include "args.h"

bool shm_maker_callsite(const struct event_cast *cast, struct callsite *callsite)
{
	const struct fact_event *made = shm_made(cast->facts, cast->finding->segment);

	if (!made)
		return false;
	callsite_init(cast->teller, callsite, &made->at, made->at.tid, EVENT_AS(made, shm)->stack,
		      EVENT_AS(made, shm)->python);
	callsite_locate(cast->teller, callsite, EVENT_AS(made, shm)->caller, true);
	return true;
}

/* Of what is counted, from its first to its last, the finding has the last. */
static char *rate_text(const struct event_cast *cast)
{
	const struct fact_event *last = cast->cause;
	uint64_t first_ns = 0, bytes = shm_bytes(cast->facts, cast->finding->segment);

	if (!last)
		return NULL;
	for (uint32_t at = fact_event_of(cast->facts, last->at.by, EV_shm, FACT_NONE);
	     at != FACT_NONE; at = fact_event_of(cast->facts, last->at.by, EV_shm, at))
		if (MPSAN_LATER_BYTES(cast->facts->events[at].later) == bytes)
			first_ns = cast->facts->events[at].at.time_ns;
	if (!first_ns || last->at.time_ns <= first_ns)
		return text_copy("at once");
	return text_format("%.0f in a second", (double)cast->finding->amount * 1e9 /
						       (double)(last->at.time_ns - first_ns));
}

static void segment_words(const struct event_cast *cast, json_t *words)
{
	const struct reader *reader = cast->teller->reader;
	uint32_t segment = cast->finding->segment, maker = shm_maker(cast->facts, segment);
	const struct fact_event *then = cast->event ? cast->event : cast->cause;

	args_set(words, "segment", segment_text(reader, segment));
	args_set(words, "segment_bytes", bytes_text(shm_bytes(cast->facts, segment)));
	args_set(words, "names", segment_names(reader, segment));
	args_set(words, "maker",
		 maker == FACT_NONE ? text_copy("somebody") : process_text(reader, maker));
	args_set(words, "maker_end", maker == FACT_NONE ? NULL : process_end_text(reader, maker));
	args_set(words, "made_at",
		 text_copy(cast->maker.where ? cast->maker.where : "an unknown place"));
	args_set(words, "mappers",
		 segment_mappers(reader, segment, then ? then->at.time_ns : cast->facts->now_ns));
	args_set(words, "total",
		 bytes_text(cast->finding->amount * shm_bytes(cast->facts, segment)));
	if (cast->finding->amount)
		args_set(words, "rate", rate_text(cast));
}

static void kept_words(const struct fact_event *event, json_t *words)
{
	if (event && event->type == EV_shm_kept)
		args_set(words, "kept",
			 kept_text(EVENT_AS(event, shm_kept)->count,
				   EVENT_AS(event, shm_kept)->bytes));
}

void shm_words(const struct event_cast *cast, json_t *words)
{
	const struct fact_event *event = cast->event, *cause = cast->cause;

	kept_words(event, words);
	kept_words(cause, words);
	if (event && event->type == EV_sock_refused)
		args_set(words, "failure", connect_text(EVENT_AS(event, sock_refused)->result));
	if (event && (event->type == EV_shm_size || event->type == EV_fault))
		args_set(words, "free_text", free_text(event_field(event, "free")));
	if (event && event->type == EV_shm_refused &&
	    EVENT_AS(event, shm_refused)->reason == MPSAN_SHM_NO_SPACE)
		args_set(words, "free_text", free_text(EVENT_AS(event, shm_refused)->limit));
	if (event && event->type == EV_shm_left && !EVENT_AS(event, shm_left)->bytes)
		args_set(words, "bytes", text_copy("nothing in it"));
	if (cause && cause->type == EV_shm_size)
		args_set(words, "cause_free_text", free_text(EVENT_AS(cause, shm_size)->free));
	segment_words(cast, words);
}
