/* See story_act.h. */
#include "story_act.h"

#include <stdlib.h>
#include <string.h>

#include "../facts/people.h"
#include "../reader/fields.h"
#include "names_cuda.h"
#include "names_process.h"
#include "story_shm.h"
#include "words.h"

uint64_t act_field(const struct fact_act *act, const char *name)
{
	const struct field *fields = event_fields(act->type);

	for (uint32_t i = 0; fields && fields[i].name; i++)
		if (!strcmp(fields[i].name, name))
			return act->field[i];
	return 0;
}

static void set_scene(const struct act_cast *cast, struct scene *scene, const struct fact_act *act)
{
	scene_init(cast->teller, scene, &act->at, act->at.tid, act_field(act, "stack"),
		   act_field(act, "python"));
	/* A fault is often inside a function of libc: whose code it works for says more. */
	scene_locate(cast->teller, scene, act->type == EV_fault ? 0 : act_field(act, "caller"),
		     true);
}

static void set_ended(struct act_cast *cast, uint32_t slot)
{
	const struct fact_process *process = &cast->facts->processes[slot];

	cast->end = (struct fact_place){.slot = slot,
					.by = slot,
					.tid = process->slot->pid,
					.time_ns = process->gone ? process->gone_ns :
								   cast->facts->now_ns};
	scene_init(cast->teller, &cast->ended, &cast->end, cast->end.tid, 0, 0);
}

bool act_gather(struct act_cast *cast, const struct teller *teller, const struct finding *finding)
{
	const struct facts *facts = &teller->reader->facts;

	*cast = (struct act_cast){.teller = teller, .facts = facts, .finding = finding};
	if (finding->moment.kind == MOMENT_ACT) {
		cast->act = &facts->acts[finding->moment.index];
		set_scene(cast, &cast->doer, cast->act);
	}
	if (finding->cause) {
		cast->cause = &facts->acts[finding->cause - 1];
		set_scene(cast, &cast->causer, cast->cause);
	}
	if (finding->process)
		set_ended(cast, finding->process - 1);
	if (finding->segment)
		shm_maker_scene(cast, &cast->maker);
	return cast->act || cast->cause || finding->process || cast->maker.at;
}

void act_finish(struct act_cast *cast)
{
	scene_finish(&cast->doer);
	scene_finish(&cast->causer);
	scene_finish(&cast->ended);
	scene_finish(&cast->maker);
}

const struct scene *act_main(const struct act_cast *cast)
{
	return cast->act	      ? &cast->doer :
	       cast->cause	      ? &cast->causer :
	       cast->finding->process ? &cast->ended :
					&cast->maker;
}

static char *value_text(const struct act_cast *cast, const struct fact_act *act,
			const struct field *field, uint64_t value)
{
	const char *text;

	if (!strcmp(field->name, "bytes") || !strcmp(field->name, "copied") ||
	    !strcmp(field->name, "total") || !strcmp(field->name, "resident") ||
	    !strcmp(field->name, "inherited"))
		return bytes_text(value);
	switch (field->format) {
	case POS:
		text = reader_text(cast->teller->reader, act->at.slot, value);
		return text ? text_copy(text) : NULL;
	case TIME:
		return duration_text(value);
	case HEX:
	case CODE:
		return text_format("0x%llx", (unsigned long long)value);
	default:
		return text_format("%llu", (unsigned long long)value);
	}
}

static void set_fields(const struct act_cast *cast, const struct fact_act *act, const char *prefix,
		       json_t *words)
{
	const struct field *field = event_fields(act->type);

	for (uint32_t i = 0; field->name; i++, field++) {
		char *name;

		if (!strcmp(field->name, "stack") || !strcmp(field->name, "python"))
			continue;
		name = text_format("%s%s", prefix, field->name);
		words_set(words, name, value_text(cast, act, field, act->field[i]));
		free(name);
	}
}

static void set_actor(const struct act_cast *cast, const struct fact_act *act,
		      const struct scene *scene, const char *prefix, json_t *words)
{
	char *who = text_format("%swho", prefix), *at = text_format("%sat", prefix);

	words_set(words, who, process_text(cast->teller->reader, act->at.by));
	words_set(words, at, text_copy(scene->where ? scene->where : "an unknown place"));
	free(who);
	free(at);
}

/* Who made a process, and whom that process left behind. */
static void parent_words(const struct reader *reader, uint32_t slot, json_t *words)
{
	uint32_t parent = people_parent(&reader->facts, slot);
	bool known = parent != FACT_NONE;

	words_set(words, "parent_process", known ? process_text(reader, parent) : NULL);
	words_set(words, "parent_end", known ? process_end_text(reader, parent) : NULL);
	words_set(words, "left_behind", process_left_text(reader, slot));
}

void act_words(const struct act_cast *cast, json_t *words)
{
	const struct reader *reader = cast->teller->reader;

	if (cast->act) {
		set_fields(cast, cast->act, "", words);
		set_actor(cast, cast->act, &cast->doer, "", words);
	}
	if (cast->cause) {
		set_fields(cast, cast->cause, "cause_", words);
		set_actor(cast, cast->cause, &cast->causer, "cause_", words);
	}
	if (cast->finding->process) {
		words_set(words, "process", process_text(reader, cast->finding->process - 1));
		words_set(words, "end", process_end_text(reader, cast->finding->process - 1));
		parent_words(reader, cast->finding->process - 1, words);
	}
	words_set(words, "amount", text_format("%llu", (unsigned long long)cast->finding->amount));
	words_set(words, "amount_bytes", bytes_text(cast->finding->amount));
	if (cast->facts->shm.links)
		shm_words(cast, words);
}

const struct scene *act_scene(const struct act_cast *cast, enum step_role role)
{
	switch (role) {
	case STEP_ACT:
		return cast->act ? &cast->doer : NULL;
	case STEP_CAUSE:
		return cast->cause ? &cast->causer : NULL;
	case STEP_ENDED:
		return cast->finding->process ? &cast->ended : NULL;
	case STEP_MAKER:
		return cast->maker.at ? &cast->maker : NULL;
	default:
		return NULL;
	}
}

void act_hash(const struct act_cast *cast, uint64_t *hash)
{
	if (cast->act)
		scene_hash(hash, &cast->doer);
	if (cast->cause)
		scene_hash(hash, &cast->causer);
	if (cast->maker.at)
		scene_hash(hash, &cast->maker);
}
