/* SPDX-License-Identifier: Apache-2.0 */
/* Groups waits, and words a group. */
#include "alike.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/jsontext.h"
#include "../../base/util.h"
#include "../../ranks/numbers.h"
#include "../../symbols/frame.h"

#define LEAST 3u /* fewer have a step each */
#define NAMED 5u
#define WAITS " waits for "
#define JOINED_MAX 256u

/* ---- who is alike ---- */

static const json_t *stack_of(const struct alike_wait *wait)
{
	const json_t *python = json_object_get(wait->step, "python");

	return json_array_size(python) ? python : json_object_get(wait->step, "stack");
}

/* The next frame of the program itself. */
static const json_t *next_own(const json_t *stack, size_t *at)
{
	const json_t *frame;

	while ((frame = json_array_get(stack, (*at)++)))
		if (!frame_distance(frame))
			return frame;
	return NULL;
}

static bool is_same_value(const json_t *one, const json_t *other, const char *key)
{
	const json_t *value = json_object_get(one, key);

	return value == json_object_get(other, key) ||
	       json_equal(value, json_object_get(other, key));
}

static bool is_same_frame(const json_t *one, const json_t *other)
{
	return is_same_value(one, other, "function") && is_same_value(one, other, "file") &&
	       is_same_value(one, other, "line") && is_same_value(one, other, "module") &&
	       is_same_value(one, other, "offset");
}

static bool is_same_stack(const json_t *one, const json_t *other)
{
	size_t at = 0, beside = 0;
	const json_t *frame;

	do {
		frame = next_own(one, &at);
		if (!is_same_frame(frame, next_own(other, &beside)))
			return false;
	} while (frame);
	return true;
}

/* An unknown owner has the waiter's own PID. */
static bool is_same_owner(const json_t *one, const json_t *other)
{
	const json_t *edge = json_object_get(one, "waits_for"),
		     *beside = json_object_get(other, "waits_for");

	return is_same_value(edge, beside, "tid") && is_same_value(edge, beside, "gone") &&
	       (is_same_value(edge, beside, "pid") ||
		(!jsontext_number(edge, "tid") && is_same_value(edge, one, "pid") &&
		 is_same_value(beside, other, "pid")));
}

/* Where the descriptor in parentheses at `text` ends; NULL: there is none. */
static const char *behind_descriptor(const char *text)
{
	const char *at = text + (*text == ' ');
	unsigned open = 0;

	if (strncmp(at, "(fd ", 4))
		return NULL;
	do
		open += (*at == '(') - (*at == ')');
	while (*at++ && open);
	return open ? NULL : at;
}

/* "data from a pipe", of "data from a pipe (fd 5, whose other end is open in process 7 (fd 6))"; the caller frees it. */
static char *without_descriptors(const char *text)
{
	char *plain = memory_get(strlen(text) + 1), *end = plain;

	while (*text) {
		const char *behind = behind_descriptor(text);

		if (behind)
			text = behind;
		else
			*end++ = *text++;
	}
	return plain;
}

/* An address or a descriptor is another object in each process. */
static bool is_same_object(const struct alike_wait *one, const struct alike_wait *other)
{
	return is_same_value(one->step, other->step, "pid") ?
		       one->lock == other->lock && !strcmp(one->awaited, other->awaited) :
		       !strcmp(one->plain, other->plain);
}

static bool is_alike(const struct alike_wait *one, const struct alike_wait *other)
{
	return is_same_object(one, other) && !strcmp(one->place ?: "", other->place ?: "") &&
	       is_same_owner(one->step, other->step) &&
	       is_same_stack(stack_of(one), stack_of(other));
}

/* For each the first one of its group, or itself; `single` ones are in none. */
static uint32_t *leaders_of(const struct alike_wait *wait, uint32_t count)
{
	uint32_t *leader = memory_get(count * sizeof(*leader));

	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = wait[i].single ? i : 0;

		while (first < i && (leader[first] != first || wait[first].single ||
				     !is_alike(&wait[first], &wait[i])))
			first++;
		leader[i] = first;
	}
	return leader;
}

/* ---- words ---- */

struct group {
	const json_t *alike;
	uint32_t count, processes;
	bool mains, ranked;
	bool namesakes, confused; /* threads of one name, all or the first two */
};

static bool is_main(const json_t *one)
{
	return !strcmp(jsontext_at(one, "thread"), "main thread");
}

/* Whether one of those before it is of its process. */
static bool is_known_process(const json_t *alike, const json_t *one)
{
	json_t *before;

	JSON_EACH(before, alike) {
		if (before == one)
			return false;
		if (is_same_value(before, one, "pid"))
			return true;
	}
	return false;
}

static struct group group_of(const json_t *alike)
{
	struct group group = {.alike = alike, .mains = true, .ranked = true, .namesakes = true};
	json_auto_t *seen = json_object();
	json_t *one;

	JSON_EACH(one, alike) {
		AUTO_FREE char *pid = text_format("%lld", jsontext_number(one, "pid"));

		json_object_set_new(seen, pid, json_true());
		group.count++;
		group.mains &= is_main(one);
		group.ranked &= json_object_get(one, "rank") != NULL;
		group.namesakes &= !is_main(one) &&
				   is_same_value(json_array_get(alike, 0), one, "thread");
	}
	group.processes = (uint32_t)json_object_size(seen);
	group.confused =
		is_same_value(json_array_get(alike, 0), json_array_get(alike, 1), "thread");
	return group;
}

/* "ranks 1 to 126" */
static char *ranks_list(const struct group *group)
{
	AUTO_FREE uint32_t *number = memory_get(group->count * sizeof(*number));
	uint32_t count = 0;
	json_t *one;

	JSON_EACH(one, group->alike)
		number[count++] = (uint32_t)jsontext_number(one, "rank");
	return numbers_text(number, count);
}

/* Those of one process by name, or by number, those of several by the process. */
static char *member_text(const struct group *group, const json_t *one)
{
	const char *name = jsontext_at(one, "thread");

	if (group->processes > 1)
		return text_format("%lld", jsontext_number(one, "pid"));
	if (group->confused)
		return text_format("TID %lld", jsontext_number(one, "tid"));
	return strncmp(name, "TID ", 4) && !is_main(one) ? text_format("\"%s\"", name) :
							   text_copy(name);
}

static char *list_text(const struct group *group)
{
	uint32_t all = group->processes > 1 ? group->processes : group->count, named = 0,
		 most = all > NAMED + 1 ? NAMED : all;
	char *list = text_copy("");
	json_t *one;

	if (group->ranked)
		return text_join(list, "", ranks_list(group));
	JSON_EACH(one, group->alike) {
		if (named == most)
			break;
		if (group->processes > 1 && is_known_process(group->alike, one))
			continue;
		list = text_join(list, ", ", member_text(group, one));
		named++;
	}
	return named < all ? text_join(list, " and ", text_format("%u more", all - named)) : list;
}

/* "48 processes", "20 threads of process 7", "30 threads "reader" of 10 processes", "126 ranks" */
static char *subject_text(const struct group *group)
{
	const json_t *first = json_array_get(group->alike, 0);
	AUTO_FREE char *name = group->namesakes ?
				       text_format(" \"%s\"", jsontext_at(first, "thread")) :
				       text_copy(""),
		       *of = group->processes > 1 ?
				     text_format("%u processes", group->processes) :
				     text_format("process %lld", jsontext_number(first, "pid"));

	if (group->ranked || (group->mains && group->processes == group->count))
		return text_format("%u %s", group->count, group->ranked ? "ranks" : "processes");
	return text_format("%u threads%s of %s", group->count, name, of);
}

/* ---- groups ---- */

static json_t *member_json(const json_t *step)
{
	return json_pack("{s:O, s:O, s:O, s:O*, s:O*}", "pid", json_object_get(step, "pid"), "tid",
			 json_object_get(step, "tid"), "thread", json_object_get(step, "thread"),
			 "rank", json_object_get(step, "rank"), "host",
			 json_object_get(step, "host"));
}

/* Lets the step speak for all of a list. */
static void speak_for(json_t *step, json_t *alike, const char *place, const char *awaited)
{
	struct group group = group_of(alike);
	AUTO_FREE char *subject = subject_text(&group), *list = list_text(&group),
		       *text = text_format("%s wait alike%s%s for %s: %s", subject,
					   place ? " at " : "", place ?: "", awaited, list);

	json_object_set_new(step, "what", jsontext_of(text));
}

static void append_group(const struct alike_wait *wait, uint32_t count, const uint32_t *leader,
			 uint32_t first, json_t *steps)
{
	json_t *alike = json_array();
	bool same = true;

	for (uint32_t i = first; i < count; i++) {
		if (leader[i] != first)
			continue;
		json_array_append_new(alike, member_json(wait[i].step));
		same &= !strcmp(wait[i].awaited, wait[first].awaited);
	}
	json_object_set_new(wait[first].step, "alike", alike);
	speak_for(wait[first].step, alike, wait[first].place,
		  same ? wait[first].awaited : wait[first].plain);
	json_array_append(steps, wait[first].step);
}

/* The step of the finding's own thread. */
static json_t *own_step(const json_t *finding)
{
	json_t *step;

	JSON_EACH(step, json_object_get(finding, "evidence"))
		if (is_same_value(step, finding, "pid") && is_same_value(step, finding, "tid") &&
		    strstr(jsontext_at(step, "what"), WAITS))
			return step;
	return NULL;
}

/* The group of those that wait for it, or the finding's own thread, if that does. */
static json_t *step_of_awaited(const json_t *finding, const char *awaited)
{
	json_t *step, *own = own_step(finding);

	JSON_EACH(step, json_object_get(finding, "evidence"))
		if (json_object_get(step, "alike") && strstr(jsontext_at(step, "what"), awaited))
			return step;
	return own && strstr(jsontext_at(own, "what"), awaited) ? own : NULL;
}

void alike_join(json_t *finding, const json_t *other)
{
	const json_t *beside = own_step(other);
	const char *awaited = beside ? strstr(jsontext_at(beside, "what"), WAITS) + strlen(WAITS) :
				       NULL;
	json_t *step = awaited ? step_of_awaited(finding, awaited) : NULL,
	       *alike = json_object_get(step, "alike"), *one;
	AUTO_FREE char *place = frame_text(json_object_get(step, "at"));

	if (!step || json_array_size(alike) >= JOINED_MAX)
		return;
	JSON_EACH(one, alike)
		if (is_same_value(one, beside, "pid") && is_same_value(one, beside, "tid"))
			return;
	if (!alike) {
		alike = json_pack("[o]", member_json(step));
		json_object_set_new(step, "alike", alike);
	}
	json_array_append_new(alike, member_json(beside));
	if (json_array_size(alike) >= LEAST)
		speak_for(step, alike, place, awaited);
}

/* ---- order ---- */

/* If most wait alike: for each whether it does something else, but only wait for one of them. */
static void mark_different(const struct alike_wait *wait, uint32_t count, const uint32_t *size,
			   bool *different)
{
	uint32_t crowd = 0, of = 0;

	for (uint32_t i = 0; i < count; i++)
		of = size[i] > size[of] ? i : of;
	for (uint32_t i = 0; i < count; i++) {
		bool alike = is_alike(&wait[i], &wait[of]);

		crowd += alike;
		different[i] = !alike && !wait[i].follows;
	}
	if (crowd < LEAST || crowd <= count / 2)
		memset(different, 0, count * sizeof(*different));
}

void alike_steps(struct alike_wait *wait, uint32_t count, json_t *steps)
{
	AUTO_FREE uint32_t *leader = NULL, *size = memory_get(count * sizeof(*size));
	AUTO_FREE bool *different = memory_get(count * sizeof(*different));

	for (uint32_t i = 0; i < count; i++)
		wait[i].plain = without_descriptors(wait[i].awaited);
	leader = leaders_of(wait, count);
	for (uint32_t i = 0; i < count; i++)
		size[leader[i]]++;
	mark_different(wait, count, size, different);
	for (int first = 1; first >= 0; first--)
		for (uint32_t i = 0; i < count; i++)
			if (size[leader[i]] < LEAST && different[i] == first)
				json_array_append(steps, wait[i].step);
	for (uint32_t i = 0; i < count; i++)
		if (leader[i] == i && size[i] >= LEAST)
			append_group(wait, count, leader, i, steps);
	for (uint32_t i = 0; i < count; i++) {
		json_decref(wait[i].step);
		free(wait[i].place);
		free(wait[i].awaited);
		free(wait[i].plain);
	}
}
