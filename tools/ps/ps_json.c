/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what was found as JSON: the document of ps.h. */
#include <stdlib.h>

#include "../base/jsontext.h"
#include "ps.h"

static json_t *address_json(uint64_t address)
{
	return address ? json_sprintf("0x%llx", (unsigned long long)address) : json_null();
}

static json_t *time_json(long long time_ns)
{
	return time_ns ? json_integer(time_ns) : json_null();
}

static json_t *owner_json(const struct ps_owner *owner)
{
	if (!owner->tid)
		return json_null();
	return json_pack("{s:I, s:I, s:o, s:b, s:o, s:b}", "pid", (json_int_t)owner->pid, "tid",
			 (json_int_t)owner->tid, "name", jsontext_of(owner->name), "gone",
			 owner->gone, "copied",
			 owner->home ? json_boolean(owner->home == PS_HOME_FORKER) : json_null(),
			 "claimed", owner->claimed);
}

static json_t *waits_json(const struct ps_thread *thread)
{
	const struct ps_awaited *waits = &thread->waits;

	if (!waits->kind)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:b, s:o, s:b, s:o}", "kind",
			 jsontext_of(waits->kind), "lock", address_json(waits->lock), "name",
			 jsontext_of(waits->name), "text", jsontext_of(waits->text), "call",
			 jsontext_of(waits->call), "timed", waits->timed, "since_ns",
			 time_json(waits->since_ns), "at_least", waits->at_least, "owner",
			 owner_json(&waits->owner), "for_ever", waits->for_ever, "at",
			 jsontext_of(thread->at));
}

static json_t *holds_json(const struct ps_thread *thread)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < thread->holds.count; i++) {
		const struct ps_hold *hold = &thread->holds.item[i];

		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "kind", jsontext_of(hold->kind),
				  "lock", address_json(hold->lock), "name", jsontext_of(hold->name),
				  "text", jsontext_of(hold->text), "taken",
				  jsontext_of(hold->taken), "wanted", hold->wanted));
	}
	return list;
}

/* What is known of a living thread only. */
static void add_kind(const struct ps_thread *thread, json_t *object)
{
	json_object_set_new(object, "kind", json_string(kind_name(thread->kind)));
	json_object_set_new(object, "about", jsontext_of(thread->about));
	json_object_set_new(object, "at", jsontext_of(thread->at));
	json_object_set_new(object, "handler", jsontext_of(thread->handler));
	json_object_set_new(object, "by", thread->by ? json_integer(thread->by) : json_null());
	json_object_set_new(object, "cpu",
			    thread->share < 0 ? json_null() : json_real(thread->share));
	json_object_set_new(object, "seen_s", json_real(thread->seen_s));
	json_object_set_new(object, "wakes",
			    thread->wakes < 0 ? json_null() : json_real(thread->wakes));
	json_object_set_new(object, "until_ns", time_json(thread->until_ns));
}

const char *ps_state_name(enum ps_state state)
{
	static const char *const names[] = {"running", "waiting", "sleeping", "stopped", "unknown"};

	return names[state];
}

const char *ps_life_name(enum ps_life life)
{
	static const char *const names[] = {"alive", "zombie", "ended", "unknown"};

	return names[life];
}

static json_t *frames_json(json_t *frames)
{
	return frames ? json_incref(frames) : json_array();
}

static json_t *thread_json(const struct ps_thread *thread)
{
	json_t *object = json_pack(
		"{s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "tid", (json_int_t)thread->tid, "name",
		jsontext_of(thread->name), "state", ps_state_name(thread->state), "waits_for",
		waits_json(thread), "holds", holds_json(thread), "stack",
		frames_json(thread->stack), "python", frames_json(thread->python), "handling",
		thread->handling ? json_incref(thread->handling) : json_null());

	if (thread->seen)
		add_kind(thread, object);
	return object;
}

static json_t *process_object(const struct ps_process *process)
{
	static const char *const ignores[PS_ENDINGS] = {"ignores_sigterm", "ignores_sigint",
							"ignores_sighup"};
	json_t *object = json_copy(process->told), *threads = json_array();

	for (uint32_t i = 0; i < process->threads.count; i++)
		json_array_append_new(threads, thread_json(&process->threads.item[i]));
	json_object_set_new(object, "state", json_string(ps_life_name(process->life)));
	json_object_set_new(object, "threads", threads);
	for (unsigned i = 0; i < PS_ENDINGS; i++)
		if (process->ignores[i])
			json_object_set_new(object, ignores[i], json_true());
	if (process->end_at_least)
		json_object_set_new(object, "end_at_least", json_true());
	return object;
}

static json_t *processes_json(const struct ps_picture *picture)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < picture->processes.count; i++)
		json_array_append_new(list, process_object(&picture->processes.item[i]));
	return list;
}

static json_t *triage_json(const struct ps_picture *picture)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < picture->triage.count; i++) {
		const struct ps_standstill *one = &picture->triage.item[i];

		json_array_append_new(
			list, json_pack("{s:s, s:o, s:I, s:I, s:i, s:i, s:i}", "kind",
					kind_name(one->kind), "text", jsontext_of(one->text), "pid",
					(json_int_t)one->pid, "tid", (json_int_t)one->tid,
					"threads", (int)one->threads, "processes",
					(int)one->processes, "waiters", (int)one->waiters));
	}
	return list;
}

static json_t *findings_json(const struct ps_picture *picture)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < picture->findings.count; i++)
		json_array_append(list, picture->findings.item[i].told);
	return list;
}

json_t *ps_json(const struct ps_picture *picture)
{
	return json_pack(
		"{s:s, s:o, s:b, s:b, s:b, s:I, s:o, s:O, s:o, s:O, s:o}", "schema", "mpsan.ps/1",
		"session", jsontext_of(picture->session), "outside", picture->outside, "recorded",
		picture->recorded, "live", picture->live, "time_ns", (json_int_t)picture->now_ns,
		"processes", processes_json(picture), "exports", picture->exports, "findings",
		findings_json(picture), "limits", picture->limits, "triage", triage_json(picture));
}
