/* See story_shm.h. */
#include "story_shm.h"

#include <stdlib.h>

#include "names_cuda.h"
#include "names_process.h"
#include "names_shm.h"
#include "words.h"

bool shm_maker_scene(const struct act_cast *cast, struct scene *scene)
{
	const struct fact_act *made = shm_made(cast->facts, cast->finding->segment);

	if (!made)
		return false;
	scene_init(cast->teller, scene, &made->at, made->at.tid, ACT_AS(made, shm)->stack,
		   ACT_AS(made, shm)->python);
	scene_locate(cast->teller, scene, ACT_AS(made, shm)->caller, true);
	return true;
}

/* Of what is counted, from its first to its last, the finding has the last. */
static char *rate_text(const struct act_cast *cast)
{
	const struct fact_act *last = cast->cause;
	uint64_t first_ns = 0, bytes = shm_bytes(cast->facts, cast->finding->segment);

	if (!last)
		return NULL;
	for (uint32_t at = fact_act_of(cast->facts, last->at.by, EV_shm, FACT_NONE);
	     at != FACT_NONE; at = fact_act_of(cast->facts, last->at.by, EV_shm, at))
		if (MPSAN_LATER_BYTES(cast->facts->acts[at].later) == bytes)
			first_ns = cast->facts->acts[at].at.time_ns;
	if (!first_ns || last->at.time_ns <= first_ns)
		return text_copy("at once");
	return text_format("%.0f in a second", (double)cast->finding->amount * 1e9 /
						       (double)(last->at.time_ns - first_ns));
}

static void segment_words(const struct act_cast *cast, json_t *words)
{
	const struct reader *reader = cast->teller->reader;
	uint32_t segment = cast->finding->segment, maker = shm_maker(cast->facts, segment);
	const struct fact_act *then = cast->act ? cast->act : cast->cause;

	words_set(words, "segment", segment_text(reader, segment));
	words_set(words, "segment_bytes", bytes_text(shm_bytes(cast->facts, segment)));
	words_set(words, "names", segment_names(reader, segment));
	words_set(words, "maker",
		  maker == FACT_NONE ? text_copy("somebody") : process_text(reader, maker));
	words_set(words, "maker_end", maker == FACT_NONE ? NULL : process_end_text(reader, maker));
	words_set(words, "made_at",
		  text_copy(cast->maker.where ? cast->maker.where : "an unknown place"));
	words_set(words, "mappers",
		  segment_mappers(reader, segment, then ? then->at.time_ns : cast->facts->now_ns));
	words_set(words, "total",
		  bytes_text(cast->finding->amount * shm_bytes(cast->facts, segment)));
	if (cast->finding->amount)
		words_set(words, "rate", rate_text(cast));
}

static void kept_words(const struct fact_act *act, json_t *words)
{
	if (act && act->type == EV_shm_kept)
		words_set(words, "kept",
			  kept_text(ACT_AS(act, shm_kept)->count, ACT_AS(act, shm_kept)->bytes));
}

void shm_words(const struct act_cast *cast, json_t *words)
{
	const struct fact_act *act = cast->act, *cause = cast->cause;

	kept_words(act, words);
	kept_words(cause, words);
	if (act && act->type == EV_sock_refused)
		words_set(words, "failure", connect_text(ACT_AS(act, sock_refused)->result));
	if (act && (act->type == EV_shm_size || act->type == EV_fault))
		words_set(words, "free_text", free_text(act_field(act, "free")));
	if (act && act->type == EV_shm_refused &&
	    ACT_AS(act, shm_refused)->reason == MPSAN_SHM_NO_SPACE)
		words_set(words, "free_text", free_text(ACT_AS(act, shm_refused)->limit));
	if (act && act->type == EV_shm_left && !ACT_AS(act, shm_left)->bytes)
		words_set(words, "bytes", text_copy("nothing in it"));
	if (cause && cause->type == EV_shm_size)
		words_set(words, "cause_free_text", free_text(ACT_AS(cause, shm_size)->free));
	segment_words(cast, words);
}
