/* SPDX-License-Identifier: Apache-2.0 */
/* Groups equal threads, and describes them in sentences. */
#include "ps_text.h"

#include <stdlib.h>
#include <string.h>

#define COMMAND_BYTES 60u
#define HOLDS_NAMED 2u
#define FEW_GROUPS 2u /* are shown, whatever they do */

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
static bool is_in_the_way(const struct ps_thread *thread)
{
	for (uint32_t i = 0; i < thread->holds.count; i++)
		if (thread->holds.item[i].wanted)
			return true;
	return false;
}

static int rank_of(const struct ps_thread *thread)
{
	if (thread->waits.for_ever)
		return 0;
	if (thread->waits.owner.tid)
		return 1;
	if (thread->state == PS_WAITING)
		return 2;
	if (is_in_the_way(thread))
		return 3;
	return thread->state == PS_RUNNING ? 4 : thread->state == PS_UNKNOWN ? 5 : 6;
}

/* Whether a lock is just an address of no interest: unnamed, and its owner does not matter. */
static bool is_bare(const struct ps_awaited *waits)
{
	return waits->lock && strstr(waits->text, "0x") && !waits->owner.tid && !waits->for_ever;
}

static char *ps_text_key_of(const struct ps_thread *thread)
{
	const struct ps_awaited *waits = &thread->waits;
	char *key = text_format("%s|%s|%s%s|%d%d|%u %s|", ps_state_name(thread->state),
				!waits->kind   ? "" :
				is_bare(waits) ? waits->kind :
						 waits->text,
				thread->at ?: "", thread->raised ?: "", waits->for_ever,
				waits->timed, waits->owner.gone ? waits->owner.tid : 0,
				waits->owner.name ?: "");

	for (uint32_t i = 0; i < thread->holds.count; i++) {
		const struct ps_hold *hold = &thread->holds.item[i];

		if (!hold->name && !hold->wanted)
			continue;
		key = ps_text_joined(key, "|", hold->name ?: hold->kind);
		key = ps_text_joined(key, " ", hold->taken ?: "");
	}
	return key;
}

static struct ps_group *find_group(struct ps_groups *groups, const struct ps_thread *thread)
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

static void add_thread(struct ps_groups *groups, const struct ps_thread *thread)
{
	struct ps_group *group = find_group(groups, thread);
	long long since = thread->waits.since_ns;

	if (!group->oldest_ns || (since && since < group->oldest_ns))
		group->oldest_ns = since;
	if (is_bare(&thread->waits) && group->first->waits.lock != thread->waits.lock)
		group->own_locks = true;
	group->named &= is_alike(group->first->name, thread->name);
	group->count++;
	groups->threads++;
	groups->idle &= thread->state == PS_SLEEPING && !is_in_the_way(thread);
	groups->runs &= thread->state == PS_RUNNING;
	groups->urgent |= thread->waits.for_ever;
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

void ps_groups_init(struct ps_groups *groups, const struct ps_thread *threads, uint32_t count,
		    bool alive)
{
	*groups = (struct ps_groups){.idle = alive, .runs = alive};
	for (uint32_t i = 0; i < count; i++)
		add_thread(groups, &threads[i]);
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
	const char *name = group->first->name;

	if (group->count > 1 && group->named)
		return text_format("%u threads \"%.*s\"", group->count, (int)stem(name), name);
	if (group->count > 1)
		return text_format("%u threads", group->count);
	return name && !strcmp(name, "main thread") ? text_copy(name) :
						      ps_thread_name(name, group->first->tid);
}

static char *who_text(const struct ps_owner *owner)
{
	return owner->name && !strcmp(owner->name, "main thread") ?
		       text_copy("the main thread") :
		       ps_thread_name(owner->name, owner->tid);
}

/* Where an owner is that is no thread of the waiter's process. */
static const char *fate_text(const struct ps_owner *owner)
{
	if (!owner->gone)
		return "";
	return owner->home == PS_HOME_FORKER	 ? ", which forked while it had it" :
	       owner->home == PS_HOME_NOT_COPIED ? ", which the fork did not copy" :
						   ", which has ended";
}

static char *owner_text(const struct ps_awaited *waits, uint32_t pid)
{
	const struct ps_owner *owner = &waits->owner;
	AUTO_FREE char *who = NULL, *process = NULL;

	if (!owner->tid)
		return text_copy("");
	who = who_text(owner);
	process = owner->pid == pid ? text_copy("") : text_format(" of process %u", owner->pid);
	return text_format("%s%s%s%s",
			   waits->is_end  ? " " :
			   owner->claimed ? ", claimed by " :
					    ", held by ",
			   who, process, fate_text(owner));
}

static char *since_text(const struct ps_group *group, long long now_ns)
{
	AUTO_FREE char *lapse = NULL;

	if (!group->oldest_ns)
		return text_copy("");
	lapse = line_lapse(group->oldest_ns, now_ns);
	return text_format(" (%s%s)", group->first->waits.at_least ? "at least " : "", lapse);
}

/* What a call waits for is told by what its descriptors are. */
static const char *awaited_text(const struct ps_thread *thread)
{
	static const enum kind exact[] = {KIND_disk, KIND_kernel,   KIND_network, KIND_outside,
					  KIND_peer, KIND_terminal, KIND_idle};

	for (size_t i = 0; thread->about && i < sizeof(exact) / sizeof(*exact); i++)
		if (thread->kind == exact[i])
			return thread->about;
	return thread->waits.text;
}

/* A thread that does not wait: where it is, and how much it uses. */
static char *running_text(const struct ps_group *group)
{
	const struct ps_thread *first = group->first;
	const char *at = first->at ?: "", *s = group->count > 1 ? "" : "s",
		   *before = *at ? " at " : "";

	if (!first->seen || first->share < 0)
		return text_format("run%s%s%s", s, before, at);
	return text_format("run%s%s%s, %.0f %% of a processor%s", s, before, at, 100 * first->share,
			   group->count > 1 ? " each, about" : "");
}

static char *stopped_text(const struct ps_group *group)
{
	const char *at = group->first->at ?: "";

	return text_format("%s stopped %s%s%s", group->count > 1 ? "are" : "is",
			   group->first->about ?: "", *at ? ", at " : "", at);
}

static const char *verb_of(const struct ps_group *group, bool alive)
{
	bool many = group->count > 1;

	if (!alive)
		return "waited";
	if (group->first->state == PS_SLEEPING)
		return many ? "wait alike with a timeout" : "waits with a timeout";
	return many ? "wait alike" : "waits";
}

/*
 * "waits forever (40 s) for mutex "m", held by thread "b" (TID 2), at f (a.c:1) while handling KeyError('k') raised at g
 * (a.py:2)"
 */
static char *wait_text(const struct ps_group *group, uint32_t pid, long long now_ns, bool alive)
{
	const struct ps_thread *first = group->first;
	AUTO_FREE char *owner = owner_text(&first->waits, pid),
		       *since = alive ? since_text(group, now_ns) : text_copy(""),
		       *each = group->own_locks ? text_format("a %s each", first->waits.kind) :
						  NULL;

	return text_format("%s%s%s for %s%s%s%s%s%s%s", verb_of(group, alive),
			   first->waits.for_ever ? " forever" : "", since,
			   each ? each : awaited_text(first), owner, first->at ? ", at " : "",
			   first->at ?: "", first->handler ? " " : "", first->handler ?: "",
			   first->raised ?: "");
}

/* Locks that threads wait for, and those with a name; others are mere addresses. */
static bool is_worth_telling(const struct ps_hold *hold, size_t told)
{
	return hold->wanted || (told < HOLDS_NAMED && hold->name);
}

static char *hold_text(const struct ps_hold *hold, bool many)
{
	bool each = many && !hold->name;

	return text_format("%s%s%s%s%s", each ? "a " : "", each ? hold->kind : hold->text,
			   each ? " each" : "", hold->taken ? " taken at " : "", hold->taken ?: "");
}

static char *holds_text(const struct ps_group *group, const char *verb)
{
	uint32_t told = 0, count = group->first->holds.count;
	char *text = text_copy("");

	for (uint32_t i = 0; i < count; i++) {
		const struct ps_hold *hold = &group->first->holds.item[i];

		if (!is_worth_telling(hold, told))
			continue;
		text = text_join(text, " and ", hold_text(hold, group->count > 1));
		told++;
	}
	if (!told)
		return text;
	if (told < count)
		text = text_join(
			text, " and ",
			text_format("%u more lock%s", count - told, count - told == 1 ? "" : "s"));
	return text_join(text_copy(verb), " ", text);
}

char *ps_group_text(const struct ps_group *group, const struct ps_process *process,
		    long long now_ns)
{
	const struct ps_thread *first = group->first;
	/* A process that cannot be examined may be alive: its records still count. */
	bool many = group->count > 1, alive = process->life == PS_ALIVE || process->life == PS_LOST;
	char *subject = subject_text(group), *text, *what,
	     *holds = holds_text(group, !alive ? "held" :
					many   ? "hold" :
						 "holds");

	if (first->state == PS_STOPPED)
		what = stopped_text(group);
	else if (first->waits.kind)
		what = wait_text(group, process->pid, now_ns, alive);
	else if (first->state == PS_RUNNING)
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
