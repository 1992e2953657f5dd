/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a living process for each set of files that processes of a session see. */
#include "roots.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/util.h"
#include "root.h"

/* The processes that see the same files. */
struct root {
	struct root_id id;
	uint32_t pid; /* one that lived when it was last asked */
	char name[ROOT_BYTES];
	struct root *before; /* earlier names, which may be in use */
};

struct seen {
	uint32_t root; /* index into `list`, + 1; 0: not known (yet) */
	uint32_t pid; /* in which it was seen */
	bool apart; /* see roots_tell_apart */
};

struct roots {
	struct seen *seen; /* by slot */
	uint32_t slots;
	bool known; /* ours could be read */
	struct root_id own;
	ARRAY(struct root *) list;
};

struct roots *roots_create(uint32_t slots, bool here)
{
	struct roots *roots = memory_get(sizeof(*roots));

	roots->slots = slots;
	roots->seen = memory_get(slots * sizeof(*roots->seen));
	roots->known = here && root_identify((uint32_t)getpid(), &roots->own);
	return roots;
}

void roots_destroy(struct roots *roots)
{
	if (!roots)
		return;
	for (uint32_t i = 0; i < roots->list.count; i++)
		for (struct root *root = roots->list.item[i], *before; root; root = before) {
			before = root->before;
			free(root);
		}
	free(roots->list.item);
	free(roots->seen);
	free(roots);
}

void roots_tell_apart(struct roots *roots, uint32_t slot)
{
	roots->seen[slot].apart = true;
}

static struct root *make(const struct root_id *id, uint32_t pid, struct root *before)
{
	struct root *root = memory_get(sizeof(*root));

	*root = (struct root){.id = *id, .pid = pid, .before = before};
	root_name(pid, root->name);
	return root;
}

/* One name for each set of files: what was read below it is found again. */
static uint32_t index_of(struct roots *roots, const struct root_id *id, uint32_t pid)
{
	for (uint32_t i = 0; i < roots->list.count; i++)
		if (root_is_same(&roots->list.item[i]->id, id))
			return i;
	*ARRAY_ADD(&roots->list) = make(id, pid, NULL);
	return roots->list.count - 1;
}

static bool serves(const struct root *root, uint32_t pid)
{
	struct root_id id;

	return root_identify(pid, &id) && root_is_same(&id, &root->id);
}

/* Whether one of these processes lives: the named one, or another that replaces it. */
static bool lives(struct roots *roots, uint32_t index)
{
	struct root *root = roots->list.item[index];

	if (serves(root, root->pid))
		return true;
	for (uint32_t slot = 0; slot < roots->slots; slot++) {
		const struct seen *seen = &roots->seen[slot];

		if (seen->root != index + 1 || seen->pid == root->pid || !serves(root, seen->pid))
			continue;
		roots->list.item[index] = make(&root->id, seen->pid, root);
		return true;
	}
	return false;
}

const char *roots_of(struct roots *roots, uint32_t slot, uint32_t pid)
{
	struct seen *seen = slot < roots->slots ? &roots->seen[slot] : NULL;
	struct root_id id;

	if (!seen)
		return NULL;
	if (roots->known && pid && seen->pid != pid && root_identify(pid, &id))
		*seen = (struct seen){index_of(roots, &id, pid) + 1, pid, seen->apart};
	if (!seen->root)
		return seen->apart ? ROOTS_GONE : NULL;
	if (root_is_same(&roots->list.item[seen->root - 1]->id, &roots->own))
		return NULL;
	return lives(roots, seen->root - 1) ? roots->list.item[seen->root - 1]->name : ROOTS_GONE;
}
