/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: connects threads of the document: owners' names, and locks that others wait for. */
#include <stdlib.h>

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
	size_t i;

	json_array_foreach(json_object_get(process, "threads"), i, thread)
	{
		if (jsontext_number(thread, "tid") == tid)
			return thread;
	}
	return NULL;
}

static void name_owner(const json_t *processes, const json_t *process, json_t *thread)
{
	json_t *owner = json_object_get(json_object_get(thread, "waits_for"), "owner"), *found;
	json_int_t pid = jsontext_number(owner, "pid");

	if (!json_is_object(owner) || json_is_true(json_object_get(owner, "gone")))
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

static void add_wish(json_t *wanted, json_int_t who, const char *lock)
{
	char *key = lock ? wish(who, lock) : NULL;

	if (key)
		json_object_set_new(wanted, key, json_true());
	free(key);
}

static void add_wishes(json_t *wanted, const json_t *process)
{
	json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(process, "threads"), i, thread)
	{
		const json_t *wait = json_object_get(thread, "waits_for");
		const json_t *owner = json_object_get(wait, "owner");
		const char *lock = json_string_value(json_object_get(wait, "lock"));

		add_wish(wanted, jsontext_number(process, "pid"), lock);
		if (json_is_true(json_object_get(owner, "gone")))
			add_wish(wanted, jsontext_number(owner, "tid"), lock);
	}
}

static bool is_wanted(const json_t *wanted, json_int_t who, const char *lock)
{
	char *key = wish(who, lock);
	bool found = json_object_get(wanted, key);

	free(key);
	return found;
}

static void mark_wanted(const json_t *wanted, const json_t *process, json_t *thread)
{
	json_t *hold;
	size_t i;

	json_array_foreach(json_object_get(thread, "holds"), i, hold)
	{
		const char *lock = json_string_value(json_object_get(hold, "lock"));
		bool yes = lock && (is_wanted(wanted, jsontext_number(process, "pid"), lock) ||
				    is_wanted(wanted, jsontext_number(thread, "tid"), lock));

		json_object_set_new(hold, "wanted", json_boolean(yes));
	}
}

void ps_tie(json_t *processes)
{
	json_t *wanted = json_object(), *process, *thread;
	size_t i, k;

	json_array_foreach(processes, i, process) add_wishes(wanted, process);
	json_array_foreach(processes, i, process)
		json_array_foreach(json_object_get(process, "threads"), k, thread)
	{
		name_owner(processes, process, thread);
		mark_wanted(wanted, process, thread);
	}
	json_decref(wanted);
}
