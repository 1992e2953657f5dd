/* SPDX-License-Identifier: Apache-2.0 */
/* Compares stacks with those that were unwound before: see unwind_alike.h. */
#include "unwind_alike.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/util.h"

#define KEPT 64u /* stacks */
#define WORDS 128u
#define ADDRESSES 64u
#define ALIGNED 16u /* the least that code may ask of its frames */
#define KNOWN (1ull << MPSAN_STACK_SP | 1ull << MPSAN_STACK_PC | MPSAN_STACK_BLOCKED)

struct read {
	uint64_t offset, word;
};
struct reads {
	uint32_t count; /* more than WORDS: too many */
	struct read item[WORDS];
};

struct alike {
	uint64_t made; /* of the list of modules; 0: no stack is kept here */
	uint64_t sp, pc, bytes, valid, blocked;
	size_t max, count;
	bool signals;
	struct reads reads;
	uint64_t pcs[ADDRESSES];
	uint8_t signal[ADDRESSES];
};

static struct alike *kept;
static uint32_t turn;
static struct reads reads; /* of the stack that is being unwound */

static bool is_comparable(const struct unwind_question *question)
{
	return question->modules->made && !(question->head->valid & ~KNOWN);
}

/* Whether a word means the same in two stacks. */
static bool is_same(const struct alike *alike, uint64_t word, uint64_t sp, uint64_t other)
{
	bool within = word - alike->sp <= alike->bytes;

	return within ? word - alike->sp == other - sp : word == other && other - sp > alike->bytes;
}

static bool is_alike(const struct alike *alike, const struct unwind_question *question)
{
	const struct mpsan_stack *head = question->head;
	uint64_t sp = head->regs[MPSAN_STACK_SP], word;

	if (alike->made != question->modules->made || alike->bytes != head->bytes ||
	    alike->pc != head->regs[MPSAN_STACK_PC] || alike->valid != head->valid ||
	    alike->blocked != head->regs[0] || alike->max != question->max ||
	    alike->signals != question->signals || (alike->sp - sp) % ALIGNED)
		return false;
	for (uint32_t i = 0; i < alike->reads.count; i++) {
		memcpy(&word, question->bytes + alike->reads.item[i].offset, sizeof(word));
		if (!is_same(alike, alike->reads.item[i].word, sp, word))
			return false;
	}
	return true;
}

size_t unwind_alike(const struct unwind_question *question, uint64_t *pcs, uint8_t *signals)
{
	if (!kept || !is_comparable(question))
		return 0;
	for (uint32_t i = 0; i < KEPT; i++) {
		const struct alike *alike = &kept[i];

		if (!is_alike(alike, question))
			continue;
		memcpy(pcs, alike->pcs, alike->count * sizeof(*pcs));
		if (signals)
			memcpy(signals, alike->signal, alike->count);
		return alike->count;
	}
	return 0;
}

void unwind_alike_begin(void)
{
	reads.count = 0;
}

void unwind_alike_read(uint64_t offset, uint64_t word)
{
	for (uint32_t i = 0; i < reads.count && i < WORDS; i++)
		if (reads.item[i].offset == offset)
			return;
	if (reads.count < WORDS)
		reads.item[reads.count] = (struct read){offset, word};
	if (reads.count <= WORDS)
		reads.count++;
}

void unwind_alike_end(const struct unwind_question *question, const uint64_t *pcs,
		      const uint8_t *signals, size_t count)
{
	const struct mpsan_stack *head = question->head;
	struct alike *alike;

	if (!is_comparable(question) || !count || count > ADDRESSES || reads.count > WORDS)
		return;
	if (!kept)
		kept = memory_get(KEPT * sizeof(*kept));
	alike = &kept[turn++ % KEPT];
	*alike = (struct alike){
		.made = question->modules->made,
		.sp = head->regs[MPSAN_STACK_SP],
		.pc = head->regs[MPSAN_STACK_PC],
		.bytes = head->bytes,
		.valid = head->valid,
		.blocked = head->regs[0],
		.max = question->max,
		.count = count,
		.signals = question->signals,
		.reads = reads,
	};
	memcpy(alike->pcs, pcs, count * sizeof(*pcs));
	if (signals)
		memcpy(alike->signal, signals, count);
}

void unwind_alike_finish(void)
{
	free(kept);
	kept = NULL;
}
