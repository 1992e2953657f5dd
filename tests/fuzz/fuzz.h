/* What every fuzzed reader of this directory has: libFuzzer's entry. Neighbours: session.c, words.c, replay.c. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* What a word becomes on its own, by the number of a change below WORD_CHANGES: a small or large number, a bit, a neighbour. */
#define WORD_CHANGES 6u
uint64_t change_word(uint64_t word, unsigned change, unsigned *seed);

/* Changes some words of memory, which keeps its length; the other one does that or, half the time, what libFuzzer would do. */
void change_words(uint8_t *data, size_t size, unsigned seed);
size_t change_words_or_all(uint8_t *data, size_t size, size_t room, unsigned seed);

/* libFuzzer's own changes; not there when inputs are only replayed. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) __attribute__((weak));

#endif
