/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop that only tests is a machine with few states. One that computes has a counter, a sum or a pointer that never comes
 * back: in a register, or on the stack, below its end, too, where functions that call no other one have variables.
 */
#include "stack_spin.h"

#include <string.h>

#include "../../../include/mpsan_log.h"
#include "../../../shim/common/hash.h"
#include "../proc.h"
#include "../procmaps.h"
#include "stack_sample.h"

#define SAMPLES 32u
#define FIRST 8u /* after which most threads that compute are known to */
#define MISSED 40u /* while it has no processor */
#define STACK 2048u /* bytes of the stack that are compared */
#define RED_ZONE 128u /* below its end: the System V ABI's, and more than that of others */
#define PLACE 1024u /* bytes of code, and of stack, within which a loop is one place */
#define STATES 64u /* of a loop, of all looks at it */
#define STATES_HERE 4u /* at one instruction: a lock that is tried is taken, and free */
#define LOOKS 8u /* at memory, while so many samples are taken */
#define AREAS 4u
#define AREA_BYTES (64u << 10)
#define POINTED 64u /* bytes that a pointer leads to */
#define LEAST 0x10000u /* less is no address */
#define STACK_NEAR 0x10000u
#define SHARE 2u /* of so many samples one may be in a state of its own */

struct sample {
	struct mpsan_stack head;
	uint8_t stack[STACK];
	uint64_t bytes, values;
};

static uint64_t pc_of(const struct sample *sample)
{
	return sample->head.regs[MPSAN_STACK_PC];
}

static uint64_t sp_of(const struct sample *sample)
{
	return sample->head.regs[MPSAN_STACK_SP];
}

static bool take(uint32_t pid, uint32_t tid, struct sample *sample)
{
	uint8_t below[RED_ZONE] = {0};

	*sample = (struct sample){0};
	sample->bytes = stack_sample(tid, &sample->head, STACK);
	if (!sample->bytes)
		return false;
	proc_read(pid, sp_of(sample) - RED_ZONE, below, sizeof(below));
	sample->values = hash_bytes(HASH_EMPTY, sample->head.regs, sizeof(sample->head.regs));
	sample->values = hash_bytes(sample->values, sample->stack, sample->bytes);
	sample->values = hash_bytes(sample->values, below, sizeof(below));
	return true;
}

/* Whether all of them are at one place. `loop` receives a number for what is on the stack above. */
static bool is_one_place(const struct sample *sample, unsigned count, uint64_t *loop)
{
	uint64_t pc = pc_of(sample), pc_last = pc, sp = sp_of(sample), sp_last = sp;

	for (unsigned i = 1; i < count; i++) {
		uint64_t at = pc_of(&sample[i]), stack = sp_of(&sample[i]);

		pc = at < pc ? at : pc;
		pc_last = at > pc_last ? at : pc_last;
		sp = stack < sp ? stack : sp;
		sp_last = stack > sp_last ? stack : sp_last;
	}
	if (pc_last - pc > PLACE || sp_last - sp > PLACE || sp_last - sp_of(sample) > sample->bytes)
		return false;
	*loop = hash_bytes(hash_add(HASH_EMPTY, sp_last), sample->stack + (sp_last - sp_of(sample)),
			   STACK - PLACE < sample->bytes - (sp_last - sp_of(sample)) ?
				   STACK - PLACE :
				   sample->bytes - (sp_last - sp_of(sample)));
	return true;
}

/* The states that a loop was seen in. */
static struct {
	uint32_t tid;
	uint64_t loop;
	unsigned count;
	uint64_t pc[STATES], values[STATES];
} known;

/* Whether it has been in this state, or may well be: there is room for it. `news` counts those that are new. */
static bool is_known(const struct sample *sample, unsigned *news)
{
	unsigned here = 0;

	for (unsigned i = 0; i < known.count; i++) {
		if (known.pc[i] != pc_of(sample))
			continue;
		if (known.values[i] == sample->values)
			return true;
		here++;
	}
	++*news;
	if (here == STATES_HERE || known.count == STATES)
		return false;
	known.pc[known.count] = pc_of(sample);
	known.values[known.count++] = sample->values;
	return true;
}

/* ---- memory ---- */

/* The variables of a module that its code reaches without a pointer. */
struct areas {
	unsigned count;
	uint64_t at[AREAS], bytes[AREAS];
	bool devices; /* its process has some: what they write is a change that comes from nobody here */
};

static bool is_device(const char *path)
{
	return !strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9) &&
	       strcmp(path, "/dev/zero") != 0;
}

/* Those of the module that has this code: what it may write of its file, and behind that. False: unreadable. */
static bool find_areas(uint32_t pid, uint64_t pc, struct areas *areas)
{
	struct proc_mapping code;
	struct procmaps_walk walk;
	uint64_t end = 0;

	*areas = (struct areas){0};
	if (!proc_mapping(pid, pc, &code))
		return false;
	walk = procmaps_begin(pid);
	while (procmaps_next(&walk)) {
		const struct procmap *at = &walk.at;
		bool is_of_file = at->inode && at->inode == code.inode && at->device == code.device;

		areas->devices |= is_device(at->path);
		if ((is_of_file || (at->start == end && !at->inode)) && at->rights[1] == 'w' &&
		    areas->count < AREAS) {
			areas->at[areas->count] = at->start;
			areas->bytes[areas->count] =
				at->end - at->start < AREA_BYTES ? at->end - at->start : AREA_BYTES;
			areas->count++;
		}
		end = is_of_file ? at->end : 0;
	}
	return procmaps_end(&walk);
}

static uint64_t add_memory(uint32_t pid, uint64_t hash, uint64_t at, uint64_t bytes)
{
	static uint64_t word[AREA_BYTES / 8];
	long got = proc_read(pid, at, word, bytes);

	for (long i = 0; i < got / 8; i++)
		hash = hash_add(hash, word[i]);
	return hash;
}

static uint64_t variables_of(uint32_t pid, const struct areas *areas)
{
	uint64_t hash = HASH_EMPTY;

	for (unsigned i = 0; i < areas->count; i++)
		hash = add_memory(pid, hash, areas->at[i], areas->bytes[i]);
	return hash;
}

/* Where a pointer of that sample may lead to: not to the stack. */
static uint64_t add_pointer(uint32_t pid, const struct sample *sample, uint64_t hash, uint64_t to)
{
	if (to < LEAST || to - (sp_of(sample) - STACK_NEAR) < 2 * STACK_NEAR)
		return hash;
	return add_memory(pid, hash, to & ~7ull, POINTED);
}

/* What its registers, and the words next to the stack's end, led to at a sample, as it is now. */
static uint64_t pointed_by(uint32_t pid, const struct sample *sample)
{
	uint64_t hash = HASH_EMPTY, word[2 * RED_ZONE / 8];
	long got = proc_read(pid, sp_of(sample) - RED_ZONE, word, sizeof(word));

	for (unsigned i = 0; i < MPSAN_STACK_REGS; i++)
		hash = add_pointer(pid, sample, hash, sample->head.regs[i]);
	for (long i = 0; i < got / 8; i++)
		hash = add_pointer(pid, sample, hash, word[i]);
	return hash;
}

static bool is_few(const uint64_t state[LOOKS])
{
	unsigned different = 0;

	for (unsigned i = 0; i < LOOKS; i++) {
		bool again = false;

		for (unsigned k = 0; k < i; k++)
			again |= state[k] == state[i];
		different += !again;
	}
	return different <= STATES_HERE;
}

static uint64_t least_of(const uint64_t state[LOOKS])
{
	uint64_t least = state[0];

	for (unsigned i = 1; i < LOOKS; i++)
		least = state[i] < least ? state[i] : least;
	return least;
}

/* Whether there is nothing new, or little: no more than a loop has states. */
static bool repeats(uint32_t tid, uint64_t loop, const struct sample *sample)
{
	unsigned news = 0;

	if (known.tid != tid || known.loop != loop)
		known.count = 0;
	known.tid = tid;
	known.loop = loop;
	for (unsigned i = 0; i < SAMPLES; i++)
		if (!is_known(&sample[i], &news))
			return false;
	return news * SHARE <= SAMPLES;
}

struct stack_spin stack_spins(uint32_t pid, uint32_t tid)
{
	static struct sample sample[SAMPLES];
	uint64_t variables[LOOKS], pointed[LOOKS], loop;
	unsigned count = 0, missed = 0;
	struct areas areas;

	while (count < SAMPLES && missed < MISSED) {
		if (!take(pid, tid, &sample[count])) {
			missed++;
			continue;
		}
		if (!count && (!find_areas(pid, pc_of(sample), &areas) || areas.devices))
			return (struct stack_spin){0};
		if (count % (SAMPLES / LOOKS) == 0) {
			variables[count / (SAMPLES / LOOKS)] = variables_of(pid, &areas);
			pointed[count / (SAMPLES / LOOKS)] = pointed_by(pid, sample);
		}
		if (++count == FIRST && !is_one_place(sample, count, &loop))
			return (struct stack_spin){.computes = true};
	}
	if (count < SAMPLES)
		return (struct stack_spin){0};
	if (!is_one_place(sample, count, &loop) || !is_few(variables) || !is_few(pointed))
		return (struct stack_spin){.computes = true};
	loop = hash_add(loop, least_of(variables));
	return (struct stack_spin){.computes = !repeats(tid, loop, sample), .loop = loop};
}
