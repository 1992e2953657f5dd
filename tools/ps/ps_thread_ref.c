/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: connects threads of the document: owners' names, and locks that others wait for. */
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "ps.h"

/* The newest process with that pid: pids are reused. */
static json_t *find_process(const json_t *processes, json_int_t pid)
{
	for (size_t i = json_array_size(processes); i-- > 0;) {
		json_t *process = json_array_get(processes, i);

		if (jsontext_number(process, "pid") == pid)
			return process;
	}
	return NULL;
}

static json_t *find_thread(const json_t *process, json_int_t tid)
{
	json_t *thread;

	JSON_EACH(thread, json_object_get(process, "threads"))
		if (jsontext_number(thread, "tid") == tid)
			return thread;
	return NULL;
}

static void name_owner(const json_t *processes, const json_t *process, json_t *thread)
{
	json_t *owner = json_object_get(json_object_get(thread, "waits_for"), "owner"), *found;
	json_int_t pid = jsontext_number(owner, "pid");

	if (!json_is_object(owner) || (json_is_true(json_object_get(owner, "gone")) &&
				       !json_is_boolean(json_object_get(owner, "copied"))))
		return;
	if (pid != jsontext_number(process, "pid"))
		process = find_process(processes, pid);
	found = find_thread(process, jsontext_number(owner, "tid"));
	if (found)
		json_object_set(owner, "name", json_object_get(found, "name"));
}

/*
 * A lock can be wanted in its own process, and in a forked child that copied it from the thread
 * that holds it: keys are that process or thread, and the address.
 */
static char *wish(json_int_t who, const char *lock)
{
	return text_format("%lld %s", (long long)who, lock);
}

/* With the name that the lock has where it is wanted. */
static void add_wish(json_t *wanted, json_int_t who, const char *lock, const char *name)
{
	AUTO_FREE char *key = lock ? wish(who, lock) : NULL;

	if (key)
		json_object_set_new(wanted, key, name ? json_string(name) : json_true());
}

static void add_wishes(json_t *wanted, const json_t *process)
{
	json_t *thread;

	JSON_EACH(thread, json_object_get(process, "threads")) {
		const json_t *wait = json_object_get(thread, "waits_for");
		const json_t *owner = json_object_get(wait, "owner");
		const char *lock = json_string_value(json_object_get(wait, "lock")),
			   *name = jsontext_string(wait, "name");

		add_wish(wanted, jsontext_number(process, "pid"), lock, name);
		if (json_is_true(json_object_get(owner, "gone")))
			add_wish(wanted, jsontext_number(owner, "tid"), lock, name);
	}
}

/* True, or the lock's name; NULL: nobody wants it. */
static json_t *find_wish(const json_t *wanted, json_int_t who, const char *lock)
{
	AUTO_FREE char *key = wish(who, lock);

	return json_object_get(wanted, key);
}

/* A lock of Python's is named by the frames of who waits for it: with its kind, as `Lock "x" (y.py, global)`. */
static void name_hold(json_t *hold, json_t *name)
{
	if (!json_is_string(name) || !strchr(json_string_value(name), '"') ||
	    jsontext_string(hold, "name"))
		return;
	json_object_set(hold, "name", name);
	json_object_set(hold, "text", name);
}

static void mark_wanted(const json_t *wanted, const json_t *process, json_t *thread)
{
	json_t *hold;

	JSON_EACH(hold, json_object_get(thread, "holds")) {
		const char *lock = json_string_value(json_object_get(hold, "lock"));
		json_t *by = !lock						      ? NULL :
			     find_wish(wanted, jsontext_number(process, "pid"), lock) ?:
				     find_wish(wanted, jsontext_number(thread, "tid"), lock);

		json_object_set_new(hold, "wanted", json_boolean(by != NULL));
		name_hold(hold, by);
	}
}

void ps_tie(json_t *processes)
{
	json_t *wanted = json_object(), *process, *thread;

	JSON_EACH(process, processes)
		add_wishes(wanted, process);
	JSON_EACH(process, processes)
		JSON_EACH(thread, json_object_get(process, "threads")) {
			name_owner(processes, process, thread);
			mark_wanted(wanted, process, thread);
		}
	json_decref(wanted);
}
