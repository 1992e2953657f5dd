/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out who served an address, and says that this process has ended. */
#include "lost_fetch.h"

#include <fcntl.h>

#include "../common/hash.h"
#include "../common/proof_rule.h"
#include "../intercept/sys.h"
#include "../record/finding_line.h"
#include "../record/log.h"
#include "../record/state.h"
#include "../record/table.h"
#include "../workers/proc_events.h"

#define NO_SLOT UINT32_MAX

struct link {
	char path[288];
};

static struct link link_of(const char *path)
{
	struct link link;
	char *at = link.path, *end = at + sizeof(link.path);

	at = text_put(text_put(at, end, log_directory()), end, "/listener-");
	text_put_number(at, end, hash_text(HASH_EMPTY, path), 16);
	return link;
}

void lost_fetch_bound(const char *path)
{
	struct link link = link_of(path);
	char slot[16];

	if (life.quiet)
		return;
	text_put_number(slot, slot + sizeof(slot), life.slot, 10);
	SYS3(SYS_symlinkat, slot, AT_FDCWD, link.path);
}

static uint32_t who_served(const char *path)
{
	struct link link = link_of(path);
	char text[16];
	long n = SYS4(SYS_readlinkat, AT_FDCWD, link.path, text, sizeof(text) - 1);
	uint64_t slot;

	if (n <= 0)
		return NO_SLOT;
	text[n] = '\0';
	slot = text_number(text, NULL);
	return slot < table_there(life.session) ? (uint32_t)slot : NO_SLOT;
}

static bool fetches_tensor(uint64_t python)
{
	for (const char *c = log_text_at(python) ?: ""; *c; c++)
		if (text_starts(c, PROOF_FETCH_FRAME))
			return true;
	return false;
}

void lost_fetch_refused(const char *path, uint64_t python, uint64_t caller)
{
	const struct mpsan_process *sender;
	uint32_t slot;
	char pid[16];
	const char *const text[] = {
		"process ", pid, " ended before its tensor was fetched: the tensor is lost", NULL};

	if (!finding_line_is_due(RULE_shm_sender_exited, caller) || !fetches_tensor(python))
		return;
	slot = who_served(path);
	sender = slot == NO_SLOT || slot == life.slot ? NULL : &life.table[slot];
	if (!sender || !__atomic_load_n(&sender->end_ns, __ATOMIC_ACQUIRE))
		return;
	text_put_number(pid, pid + sizeof(pid), sender->pid, 10);
	finding_line_at(proof_rule_fetch(proc_events_has_signalled(sender->pid)), caller, text);
}
