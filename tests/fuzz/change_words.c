/* Changes of memory: a pointer into another one, a size, a bit. Lengths stay as they are. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static size_t some_place(size_t size, unsigned *seed)
{
	return ((size_t)rand_r(seed) << 16 ^ (size_t)rand_r(seed)) % (size / 8) * 8;
}

static uint64_t word_at(const uint8_t *data, size_t at)
{
	uint64_t word;

	memcpy(&word, data + at, 8);
	return word;
}

uint64_t change_word(uint64_t word, unsigned change, unsigned *seed)
{
	switch (change) {
	case 0:
		return 0;
	case 1:
		return rand_r(seed) % 64;
	case 2:
		return 1ull << rand_r(seed) % 64;
	case 3:
		return UINT64_MAX - rand_r(seed) % 64;
	case 4:
		return word + ((uint64_t)(rand_r(seed) % 33) - 16) * 8;
	default: /* one byte */
		return word ^ (uint64_t)(rand_r(seed) % 255 + 1) << rand_r(seed) % 8 * 8;
	}
}

static uint64_t some_value(const uint8_t *data, size_t size, uint64_t word, unsigned *seed)
{
	unsigned change = rand_r(seed) % (WORD_CHANGES + 2);

	return change < WORD_CHANGES ? change_word(word, change, seed) :
				       word_at(data, some_place(size, seed));
}

void change_words(uint8_t *data, size_t size, unsigned seed)
{
	unsigned turns = 1 + rand_r(&seed) % (rand_r(&seed) % 4 ? 4 : 64);

	while (size >= 8 && turns--) {
		size_t at = some_place(size, &seed);
		uint64_t word = word_at(data, at);

		/* what leads somewhere, rather than what is empty */
		if (!word)
			at = some_place(size, &seed), word = word_at(data, at);
		word = some_value(data, size, word, &seed);
		memcpy(data + at, &word, 8);
	}
}

size_t change_words_or_all(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	if (LLVMFuzzerMutate && seed % 2)
		return LLVMFuzzerMutate(data, size, room);
	change_words(data, size, seed / 2);
	return size;
}
