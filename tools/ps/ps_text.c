/* SPDX-License-Identifier: Apache-2.0 */
/* Groups equal threads, and describes them in sentences. */
#include "ps_text.h"

#include "../base/jsontext.h"
#include "../report/kinds.h"
#include "../symbols/raised.h"

#include <stdlib.h>
#include <string.h>

#define COMMAND_BYTES 60u
#define HOLDS_NAMED 2u
#define FEW_GROUPS 2u /* are shown, whatever they do */

static bool is_set(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static char *ps_text_joined(char *text, const char *separator, const char *more)
{
	char *longer = text_format("%s%s%s", text, *text ? separator : "", more);

	free(text);
	return longer;
}

char *ps_command(json_t *argv)
{
	char *text = text_copy("");
	json_t *word;
	size_t i;

	json_array_foreach(argv, i, word)
		text = ps_text_joined(text, " ",
				      i ? json_string_value(word) :
					  path_base(json_string_value(word)));
	line_clean(text);
	if (strlen(text) > COMMAND_BYTES) {
		size_t end = COMMAND_BYTES;

		while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
			end--;
		text[end] = '\0';
		text = ps_text_joined(text, "", "…");
	}
	json_decref(argv);
	return *text ? text : ps_text_joined(text, "", "?");
}

/* ---- groups ---- */

/* Whether it holds a lock that a thread waits for. */
static bool is_in_the_way(const json_t *thread)
{
	json_t *hold;

	JSON_EACH(hold, json_object_get(thread, "holds"))
		if (is_set(hold, "wanted"))
			return true;
	return false;
}

static int rank_of(const json_t *thread)
{
	const json_t *wait = json_object_get(thread, "waits_for");
	const char *state = jsontext_string(thread, "state");

	if (is_set(wait, "for_ever"))
		return 0;
	if (json_is_object(json_object_get(wait, "owner")))
		return 1;
	if (!strcmp(state, "waiting"))
		return 2;
	if (is_in_the_way(thread))
		return 3;
	return !strcmp(state, "running") ? 4 : !strcmp(state, "unknown") ? 5 : 6;
}

/* Whether a lock is just an address of no interest: unnamed, and its owner does not matter. */
static bool is_bare(const json_t *wait)
{
	return jsontext_string(wait, "lock") && strstr(jsontext_at(wait, "text"), "0x") &&
	       !json_is_object(json_object_get(wait, "owner")) && !is_set(wait, "for_ever");
}

static char *ps_text_key_of(const json_t *thread)
{
	const json_t *wait = json_object_get(thread, "waits_for"), *hold;
	const json_t *owner = json_object_get(wait, "owner");
	const char *at = jsontext_string(json_is_object(wait) ? wait : thread, "at");
	AUTO_FREE char *raised = raised_text(json_object_get(thread, "handling"));
	char *key =
		text_format("%s|%s|%s%s|%d%d|%lld %s|", jsontext_string(thread, "state"),
			    !json_is_object(wait) ? "" :
			    is_bare(wait)	  ? jsontext_string(wait, "kind") :
						    jsontext_string(wait, "text"),
			    at ? at : "", raised, is_set(wait, "for_ever"), is_set(wait, "timed"),
			    is_set(owner, "gone") ? jsontext_number(owner, "tid") : 0,
			    jsontext_string(owner, "name") ? jsontext_string(owner, "name") : "");

	JSON_EACH(hold, json_object_get(thread, "holds")) {
		const char *name = jsontext_string(hold, "name"),
			   *taken = jsontext_string(hold, "taken");

		if (!name && !is_set(hold, "wanted"))
			continue;
		key = ps_text_joined(key, "|", name ? name : jsontext_string(hold, "kind"));
		key = ps_text_joined(key, " ", taken ? taken : "");
	}
	return key;
}

static struct ps_group *find_group(struct ps_groups *groups, const json_t *thread)
{
	char *key = ps_text_key_of(thread);
	struct ps_group *group;

	for (uint32_t i = 0; i < groups->item.count; i++)
		if (!strcmp(groups->item.item[i].key, key)) {
			free(key);
			return &groups->item.item[i];
		}
	group = ARRAY_ADD(&groups->item);
	*group = (struct ps_group){
		.key = key, .first = thread, .rank = rank_of(thread), .named = true};
	return group;
}

/* Length of a name without the number of the instance, as in "worker-7". */
static size_t stem(const char *name)
{
	size_t length = name ? strcspn(name, "0123456789") : 0;

	while (length && strchr(" -_#:(", name[length - 1]))
		length--;
	return length;
}

static bool is_alike(const char *one, const char *other)
{
	return stem(one) && stem(one) == stem(other) && !strncmp(one, other, stem(one)) &&
	       strncmp(one, "TID ", 4) && strcmp(one, "main thread");
}

static void add_thread(struct ps_groups *groups, const json_t *thread)
{
	const json_t *wait = json_object_get(thread, "waits_for");
	const char *state = jsontext_string(thread, "state");
	struct ps_group *group = find_group(groups, thread);
	const json_t *first = json_object_get(group->first, "waits_for");
	long long since = jsontext_number(wait, "since_ns");

	if (!group->oldest_ns || (since && since < group->oldest_ns))
		group->oldest_ns = since;
	if (is_bare(wait) && strcmp(jsontext_string(first, "lock"), jsontext_string(wait, "lock")))
		group->own_locks = true;
	group->named &=
		is_alike(jsontext_string(group->first, "name"), jsontext_string(thread, "name"));
	group->count++;
	groups->threads++;
	groups->idle &= !strcmp(state, "sleeping") && !is_in_the_way(thread);
	groups->runs &= !strcmp(state, "running");
	groups->urgent |= is_set(wait, "for_ever");
}

static int compare_groups(const void *one, const void *other)
{
	const struct ps_group *a = one, *b = other;

	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(a->key, b->key);
}

void ps_groups_init(struct ps_groups *groups, const json_t *process)
{
	json_t *threads = json_object_get(process, "threads"), *thread;
	bool alive = !strcmp(jsontext_string(process, "state"), "alive");

	*groups = (struct ps_groups){.idle = alive, .runs = alive};
	JSON_EACH(thread, threads)
		add_thread(groups, thread);
	if (groups->item.count)
		qsort(groups->item.item, groups->item.count, sizeof(struct ps_group),
		      compare_groups);
	groups->idle &= groups->item.count > FEW_GROUPS;
	groups->runs &= groups->item.count > FEW_GROUPS;
}

void ps_groups_finish(struct ps_groups *groups)
{
	for (uint32_t i = 0; i < groups->item.count; i++)
		free(groups->item.item[i].key);
	free(groups->item.item);
}

/* ---- sentences ---- */

char *ps_thread_name(const char *name, uint32_t tid)
{
	return !name || !*name || !strncmp(name, "TID ", 4) ?
		       text_format("thread %u", tid) :
		       text_format("thread \"%s\" (TID %u)", name, tid);
}

static char *subject_text(const struct ps_group *group)
{
	const char *name = jsontext_string(group->first, "name");

	if (group->count > 1 && group->named)
		return text_format("%u threads \"%.*s\"", group->count, (int)stem(name), name);
	if (group->count > 1)
		return text_format("%u threads", group->count);
	return name && !strcmp(name, "main thread") ?
		       text_copy(name) :
		       ps_thread_name(name, (uint32_t)jsontext_number(group->first, "tid"));
}

static char *who_text(const json_t *owner)
{
	const char *name = jsontext_string(owner, "name");

	return name && !strcmp(name, "main thread") ?
		       text_copy("the main thread") :
		       ps_thread_name(name, (uint32_t)jsontext_number(owner, "tid"));
}

/* Where an owner is that is no thread of the waiter's process. */
static const char *fate_text(const json_t *owner)
{
	const json_t *copied = json_object_get(owner, "copied");

	if (!is_set(owner, "gone"))
		return "";
	return json_is_true(copied)  ? ", which forked while it had it" :
	       json_is_false(copied) ? ", which the fork did not copy" :
				       ", which has ended";
}

static char *owner_text(const json_t *wait, long long pid)
{
	const json_t *owner = json_object_get(wait, "owner");
	bool is_end = !strcmp(jsontext_at(wait, "text"), "the end of");
	char *text, *who;

	if (!json_is_object(owner))
		return text_copy("");
	who = who_text(owner);
	if (jsontext_number(owner, "pid") != pid) {
		text = text_format("%s of process %lld", who, jsontext_number(owner, "pid"));
		free(who);
		who = text;
	}
	text = text_format("%s%s%s",
			   is_end		    ? " " :
			   is_set(owner, "claimed") ? ", claimed by " :
						      ", held by ",
			   who, fate_text(owner));
	free(who);
	return text;
}

static char *since_text(const struct ps_group *group, const json_t *wait, long long now_ns)
{
	AUTO_FREE char *lapse = NULL;

	if (!group->oldest_ns)
		return text_copy("");
	lapse = line_lapse(group->oldest_ns, now_ns);
	return text_format(" (%s%s)", is_set(wait, "at_least") ? "at least " : "", lapse);
}

/* What a call waits for is told by what its descriptors are. */
static char *awaited_text(const struct ps_group *group, const json_t *wait)
{
	static const enum kind exact[] = {KIND_disk, KIND_kernel,   KIND_network, KIND_outside,
					  KIND_peer, KIND_terminal, KIND_idle};
	const char *about = jsontext_string(group->first, "about");
	enum kind kind = kind_find(jsontext_at(group->first, "kind"));

	if (group->own_locks)
		return text_format("a %s each", jsontext_string(wait, "kind"));
	for (size_t i = 0; about && i < sizeof(exact) / sizeof(*exact); i++)
		if (kind == exact[i])
			return text_copy(about);
	return text_copy(jsontext_string(wait, "text"));
}

/* A thread that does not wait: where it is, and how much it uses. */
static char *running_text(const struct ps_group *group)
{
	const char *at = jsontext_string(group->first, "at"), *s = group->count > 1 ? "" : "s";
	const json_t *share = json_object_get(group->first, "cpu");

	if (!json_is_real(share))
		return text_format("run%s%s%s", s, at ? " at " : "", at ? at : "");
	return text_format("run%s%s%s, %.0f %% of a processor%s", s, at ? " at " : "", at ? at : "",
			   100 * json_real_value(share), group->count > 1 ? " each, about" : "");
}

static char *stopped_text(const struct ps_group *group)
{
	const char *at = jsontext_at(group->first, "at");

	return text_format("%s stopped %s%s%s", group->count > 1 ? "are" : "is",
			   jsontext_at(group->first, "about"), *at ? ", at " : "", at);
}

static const char *verb_of(const struct ps_group *group, bool alive)
{
	bool many = group->count > 1;

	if (!alive)
		return "waited";
	if (!strcmp(jsontext_string(group->first, "state"), "sleeping"))
		return many ? "wait with a timeout" : "waits with a timeout";
	return many ? "wait" : "waits";
}

/*
 * "waits forever (40 s) for mutex "m", held by thread "b" (TID 2), at f (a.c:1) while handling KeyError('k') raised at g
 * (a.py:2)"
 */
static char *wait_text(const struct ps_group *group, long long pid, long long now_ns, bool alive)
{
	const json_t *wait = json_object_get(group->first, "waits_for");
	const char *at = jsontext_string(wait, "at"),
		   *handler = jsontext_at(group->first, "handler");
	AUTO_FREE char *awaited = awaited_text(group, wait), *owner = owner_text(wait, pid),
		       *since = alive ? since_text(group, wait, now_ns) : text_copy(""),
		       *raised = raised_text(json_object_get(group->first, "handling"));

	return text_format("%s%s%s for %s%s%s%s%s%s%s", verb_of(group, alive),
			   is_set(wait, "for_ever") ? " forever" : "", since, awaited, owner,
			   at ? ", at " : "", at ? at : "", *handler ? " " : "", handler, raised);
}

/* Locks that threads wait for, and those with a name; others are mere addresses. */
static bool is_worth_telling(const json_t *hold, size_t told)
{
	return is_set(hold, "wanted") || (told < HOLDS_NAMED && jsontext_string(hold, "name"));
}

static char *hold_text(const json_t *hold, bool many)
{
	const char *taken = jsontext_string(hold, "taken");
	bool each = many && !jsontext_string(hold, "name");

	return text_format("%s%s%s%s%s", each ? "a " : "",
			   jsontext_string(hold, each ? "kind" : "text"), each ? " each" : "",
			   taken ? " taken at " : "", taken ? taken : "");
}

static char *holds_text(const struct ps_group *group, const char *verb)
{
	json_t *holds = json_object_get(group->first, "holds"), *hold;
	size_t told = 0, count = json_array_size(holds);
	char *text = text_copy(""), *one;

	JSON_EACH(hold, holds) {
		if (!is_worth_telling(hold, told))
			continue;
		one = hold_text(hold, group->count > 1);
		text = ps_text_joined(text, " and ", one);
		free(one);
		told++;
	}
	if (!told)
		return text;
	if (told < count) {
		one = text_format("%zu more lock%s", count - told, count - told == 1 ? "" : "s");
		text = ps_text_joined(text, " and ", one);
		free(one);
	}
	one = text_format("%s %s", verb, text);
	free(text);
	return one;
}

char *ps_group_text(const struct ps_group *group, const json_t *process, long long now_ns)
{
	const char *state = jsontext_string(group->first, "state"),
		   *of = jsontext_string(process, "state");
	/* A process that cannot be examined may be alive: its records still count. */
	bool many = group->count > 1, alive = !strcmp(of, "alive") || !strcmp(of, "unknown");
	char *subject = subject_text(group), *text, *what,
	     *holds = holds_text(group, !alive ? "held" :
					many   ? "hold" :
						 "holds");

	if (!strcmp(state, "stopped"))
		what = stopped_text(group);
	else if (json_is_object(json_object_get(group->first, "waits_for")))
		what = wait_text(group, jsontext_number(process, "pid"), now_ns, alive);
	else if (!strcmp(state, "running"))
		what = running_text(group);
	else if (alive)
		what = text_format("%s asleep, reason unknown", many ? "are" : "is");
	else
		what = text_copy("");
	text = text_format("%s%s%s%s%s", subject, *what ? " " : "", what,
			   !*holds ? "" :
			   *what   ? "; " :
				     " ",
			   holds);
	free(subject);
	free(holds);
	free(what);
	return text;
}
