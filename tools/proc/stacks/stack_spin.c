/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop that only tests is a machine with few states. One that computes has a counter, a sum or a pointer that never comes
 * back: in a register, or on the stack, below its end, too, where functions that call no other one have variables.
 */
#include "stack_spin.h"

#include <stdlib.h>

#include "../../../include/mpsan_log.h"
#include "../../../shim/common/hash.h"
#include "../proc.h"
#include "../procmaps.h"
#include "stack_sample.h"

#define SAMPLES 32u
#define FIRST 8u /* after which most threads that compute are known to */
#define MISSED 10u /* while it has no processor */
#define STACK 2048u /* bytes of the stack that are compared */
#define RED_ZONE 128u /* below its end: the System V ABI's, and more than that of others */
#define PLACE 1024u /* bytes of the stack within which a loop is one place, and of code */
#define PLACES 4u /* of code: a loop may call functions */
#define STATES 64u /* of a loop, of all looks at it */
#define STATES_HERE 4u /* at one instruction: a lock that is tried is taken, and free */
#define LOOKS 8u /* at memory, while so many samples are taken */
#define AREAS 256u
#define AREA_BYTES (64u << 10)
#define POINTED 64u /* bytes that a pointer leads to */
#define POINTERS 512u /* bytes of the stack, from its end, that may have pointers */
#define THREADS 4u /* whose samples are kept until there are enough of them */
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

/* What is known of a thread's loop. */
struct look {
	uint32_t tid;
	unsigned count; /* samples so far */
	struct sample sample[SAMPLES];
	uint64_t variables[LOOKS], pointed[LOOKS];
	struct areas {
		unsigned count;
		uint64_t at[AREAS], bytes[AREAS];
	} areas; /* the variables that code reaches without a pointer */
	/* the states that it was seen in, before as well */
	uint64_t top, loop;
	unsigned states;
	uint64_t pc[STATES], values[STATES];
};

/* That of a thread; if there is none, it takes the place of one of those before it, each in its turn. */
static struct look *look_of(uint32_t tid)
{
	static struct look *looks; /* a limit of data counts static memory from the start */
	static unsigned next;
	struct look *look;

	looks = looks ?: calloc(THREADS, sizeof(*looks));
	if (!looks)
		return NULL;
	for (unsigned i = 0; i < THREADS; i++)
		if (looks[i].tid == tid)
			return &looks[i];
	look = &looks[next++ % THREADS];
	*look = (struct look){.tid = tid};
	return look;
}

/* Whether its code is near that of a sample before it. */
static bool is_code_near(const struct look *look, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (pc_of(&look->sample[n]) - pc_of(&look->sample[i]) + PLACE <= 2 * PLACE)
			return true;
	return false;
}

/*
 * Whether all of them are at one place. `loop` receives a number for what is on the stack above the outermost of its
 * functions that was seen.
 */
static bool is_one_place(struct look *look, uint64_t *loop)
{
	const struct sample *sample = look->sample;
	uint64_t sp = sp_of(sample), sp_last = look->top - sp < PLACE ? look->top : sp;
	unsigned places = 1;

	for (unsigned i = 1; i < look->count; i++) {
		uint64_t stack = sp_of(&sample[i]);

		sp = stack < sp ? stack : sp;
		sp_last = stack > sp_last ? stack : sp_last;
		places += !is_code_near(look, i);
	}
	if (places > PLACES || sp_last - sp > PLACE || sp_last - sp_of(sample) > sample->bytes)
		return false;
	look->top = sp_last;
	*loop = hash_bytes(hash_add(HASH_EMPTY, sp_last), sample->stack + (sp_last - sp_of(sample)),
			   STACK - PLACE < sample->bytes - (sp_last - sp_of(sample)) ?
				   STACK - PLACE :
				   sample->bytes - (sp_last - sp_of(sample)));
	return true;
}

/* Whether it has been in this state, or may well be: there is room for it. `news` counts those that are new. */
static bool is_known(struct look *look, const struct sample *sample, unsigned *news)
{
	unsigned here = 0;

	for (unsigned i = 0; i < look->states; i++) {
		if (look->pc[i] != pc_of(sample))
			continue;
		if (look->values[i] == sample->values)
			return true;
		here++;
	}
	++*news;
	if (here == STATES_HERE || look->states == STATES)
		return false;
	look->pc[look->states] = pc_of(sample);
	look->values[look->states++] = sample->values;
	return true;
}

/* ---- memory ---- */

/*
 * What may be written of the files of all modules, and behind that: a loop calls functions of others. False: there are too
 * many, or devices, whose writes are a change that comes from nobody here; or it is unreadable.
 */
static bool find_areas(uint32_t pid, struct areas *areas)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	bool known = true;
	uint64_t end = 0;

	areas->count = 0;
	while (procmaps_next(&walk)) {
		const struct procmap *at = &walk.at;
		bool is_of_file = at->inode && at->rights[3] == 'p';

		known &= !procmap_is_device(at);
		if ((is_of_file || (at->start == end && !at->inode)) && at->rights[1] == 'w') {
			known &= areas->count < AREAS;
			if (!known)
				continue;
			areas->at[areas->count] = at->start;
			areas->bytes[areas->count++] =
				at->end - at->start < AREA_BYTES ? at->end - at->start : AREA_BYTES;
		}
		end = is_of_file ? at->end : 0;
	}
	return procmaps_end(&walk) && known;
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
	uint64_t hash = HASH_EMPTY, word[(RED_ZONE + POINTERS) / 8];
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
static bool repeats(struct look *look, uint64_t loop)
{
	unsigned news = 0;

	if (look->loop != loop)
		look->states = 0;
	look->loop = loop;
	for (unsigned i = 0; i < SAMPLES; i++)
		if (!is_known(look, &look->sample[i], &news))
			return false;
	return news * SHARE <= SAMPLES;
}

static void look_at_memory(uint32_t pid, struct look *look, unsigned n)
{
	look->variables[n] = variables_of(pid, &look->areas);
	look->pointed[n] = pointed_by(pid, look->sample);
}

static struct stack_spin judge(struct look *look)
{
	uint64_t loop;

	if (!is_one_place(look, &loop) || !is_few(look->variables) || !is_few(look->pointed))
		return (struct stack_spin){.computes = true};
	loop = hash_add(loop, least_of(look->variables));
	return (struct stack_spin){.computes = !repeats(look, loop), .loop = loop};
}

struct stack_spin stack_spins(uint32_t pid, uint32_t tid)
{
	struct look *look = look_of(tid);
	struct stack_spin spin;
	unsigned missed = 0;
	uint64_t loop;

	if (!look || (!look->count && !find_areas(pid, &look->areas)))
		return (struct stack_spin){0};
	while (look->count < SAMPLES && missed < MISSED) {
		if (!take(pid, tid, &look->sample[look->count])) {
			missed++;
			continue;
		}
		if (look->count % (SAMPLES / LOOKS) == 0)
			look_at_memory(pid, look, look->count / (SAMPLES / LOOKS));
		if (++look->count == FIRST && !is_one_place(look, &loop)) {
			look->count = 0;
			return (struct stack_spin){.computes = true};
		}
	}
	if (look->count < SAMPLES)
		return (struct stack_spin){0};
	spin = judge(look);
	look->count = 0;
	return spin;
}
