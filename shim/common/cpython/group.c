/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the module torch.distributed.distributed_c10d. See group.h. */
#include "group.h"

#define MODULE "torch.distributed.distributed_c10d"
#define FILE_NAME "torch/distributed/distributed_c10d.py"
#define GROUPS_MAX 256u /* of one process */
#define WORLD_MAX 1000000u
#define VARIABLES_MAX 64u /* of one function */
#define INT_NEGATIVE 2u
#define DIGIT_MASK 0x3fffffffu
/* pybind11's instance: a pointer to the object of C++ follows the head. */
#define INSTANCE_VALUE 16
#define OBJECT_WORDS 16u /* of that object, in which its rank and size stand side by side */
#define OBJECT_HEAD \
	3u /* its virtual functions and reference counts, one word or two, and what follows one */

static bool is_negative(const struct cpython *py, uint64_t number)
{
	uint64_t size = cpython_member(py, number, CPYTHON_SIZE);

	return py->at.minor < 12 ? (int64_t)size < 0 : (size & 3) == INT_NEGATIVE;
}

/* A small number; false: it is none. */
static bool number_of(const struct cpython *py, uint64_t object, uint32_t *number)
{
	if (!object || !cpython_is_a(py, object, "int") || is_negative(py, object))
		return false;
	*number = (uint32_t)cpython_member(py, object, CPYTHON_INT_VALUE) & DIGIT_MASK;
	return *number < WORLD_MAX;
}

static uint64_t global(const struct cpython *py, uint64_t modules, const char *name)
{
	uint64_t module = cpython_dict_search(py, modules, MODULE);

	return module ? cpython_dict_search(py, cpython_member(py, module, CPYTHON_MODULE_DICT),
					    name) :
			0;
}

/* ---- local variables ---- */

/* A local variable or argument, by name; 0: there is none, or it is unbound. */
static uint64_t local_of(const struct cpython *py, const struct frame *frame, const char *name)
{
	uint64_t names = cpython_peek_word(py, frame->code + py->at.code_variables);
	uint64_t count = names && cpython_is_a(py, names, "tuple") ?
				 cpython_member(py, names, CPYTHON_SIZE) :
				 0;

	for (unsigned i = 0; i < count && i < VARIABLES_MAX; i++)
		if (cpython_string_is(py, cpython_peek_word(py, names + py->at.tuple_items + 8 * i),
				      name))
			return frame_local(py, frame, i);
	return 0;
}

/* The outermost frame of the module; false: the thread is elsewhere. */
static bool find_frame(const struct cpython *py, uint64_t top, struct frame *found)
{
	struct frame frame;
	struct walk walk;
	bool any = false;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame))
		if (cpython_string_ends(py, frame.file, FILE_NAME)) {
			*found = frame;
			any = true;
		}
	return any;
}

/* ---- groups ---- */

/* The dictionary of a group's ranks; `group` 0 or None: of the whole job. */
static uint64_t ranks_of(const struct cpython *py, uint64_t modules, uint64_t group)
{
	uint64_t table = global(py, modules, "_pg_group_ranks"), ranks[GROUPS_MAX];
	unsigned count = table && cpython_is_a(py, table, "dict") ?
				 cpython_dict_values(py, table, ranks, GROUPS_MAX) :
				 0;

	for (unsigned i = 0; i < count; i++)
		if (!group || group == py->none || cpython_dict_key(py, table, ranks[i]) == group)
			return ranks[i];
	return 0;
}

/* Its objects hold { rank, size } as two ints: the size is known from the table. */
static bool read_rank(const struct cpython *py, uint64_t group, uint32_t world, uint32_t *rank)
{
	uint64_t at = cpython_member(py, group, INSTANCE_VALUE), words[OBJECT_WORDS];

	if (!at || !cpython_peek(py, words, at, sizeof(words)))
		return false;
	for (unsigned i = OBJECT_HEAD; i < OBJECT_WORDS; i++)
		if (words[i] >> 32 == world && (uint32_t)words[i] < world) {
			*rank = (uint32_t)words[i];
			return true;
		}
	return false;
}

/* Both are arguments of init_process_group, or set there before anything is waited for. */
static struct cpython_rank rank_by_frame(const struct cpython *py, uint64_t top)
{
	struct cpython_rank found = {0};
	struct frame frame;

	if (!find_frame(py, top, &frame) ||
	    !cpython_string_ends(py, frame.name, "init_process_group") ||
	    !number_of(py, local_of(py, &frame, "rank"), &found.rank) ||
	    !number_of(py, local_of(py, &frame, "world_size"), &found.world) ||
	    found.rank >= found.world)
		return (struct cpython_rank){0};
	return found;
}

struct cpython_rank cpython_group_rank(const struct cpython *py, uint64_t modules, uint64_t top)
{
	uint64_t ranks = ranks_of(py, modules, 0);
	uint64_t used = ranks && cpython_is_a(py, ranks, "dict") ?
				cpython_member(py, ranks, CPYTHON_DICT_USED) :
				0;
	struct cpython_rank found = {.world = (uint32_t)used, .joined = true};
	uint64_t table = used ? global(py, modules, "_pg_group_ranks") : 0;

	if (used && used <= WORLD_MAX &&
	    read_rank(py, cpython_dict_key(py, table, ranks), (uint32_t)used, &found.rank))
		return found;
	return rank_by_frame(py, top);
}

/* ---- members ---- */

/* Whom recv waits for, and send: a global rank. */
static bool peer_of(const struct cpython *py, const struct frame *frame, uint32_t *rank)
{
	if (cpython_string_ends(py, frame->name, "recv"))
		return number_of(py, local_of(py, frame, "src"), rank);
	return cpython_string_ends(py, frame->name, "send") &&
	       number_of(py, local_of(py, frame, "dst"), rank);
}

unsigned cpython_group_members(const struct cpython *py, uint64_t modules, uint64_t top,
			       uint32_t *rank, unsigned most)
{
	uint64_t ranks, group[GROUPS_MAX];
	unsigned count;
	struct frame frame;

	if (!most || !find_frame(py, top, &frame))
		return 0;
	if (peer_of(py, &frame, rank))
		return 1;
	ranks = ranks_of(py, modules, local_of(py, &frame, "group"));
	if (!ranks || cpython_member(py, ranks, CPYTHON_DICT_USED) > most)
		return 0;
	count = cpython_dict_values(py, ranks, group, most < GROUPS_MAX ? most : GROUPS_MAX);
	for (unsigned i = 0; i < count; i++)
		if (!number_of(py, cpython_dict_key(py, ranks, group[i]), &rank[i]))
			return 0;
	return count;
}
