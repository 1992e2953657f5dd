/*
 * Runs inputs once each, without libFuzzer: replay FILE...; or, with -rounds=N, inputs that the program's own mutator has
 * changed, always in the same way, and prints which round took most of the processor's time: -from=M begins with that one.
 * Neighbour: test_corpus.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"

#define INPUT_BYTES (1u << 20)
#define CHANGES 4u /* of one input, at most */

/* Where a program has none, bytes change. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
						     unsigned seed)
{
	(void)room;
	for (unsigned turns = 1 + rand_r(&seed) % 16; size && turns; turns--)
		data[(unsigned)rand_r(&seed) % size] = (uint8_t)rand_r(&seed);
	return size;
}

struct input {
	uint8_t *data;
	size_t size;
};

static struct input read_input(const char *path)
{
	FILE *stream = fopen(path, "re");
	struct input input = {malloc(INPUT_BYTES), 0};

	if (!stream) {
		perror(path);
		exit(2);
	}
	input.size = fread(input.data, 1, INPUT_BYTES, stream);
	fclose(stream);
	return input;
}

static uint64_t now_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void run_changed(const struct input *input, unsigned seed)
{
	static uint8_t changed[INPUT_BYTES];
	size_t size = input->size;
	uint8_t *data; /* a sanitizer sees what is read behind it */

	memcpy(changed, input->data, size);
	for (unsigned turns = 1 + rand_r(&seed) % CHANGES; turns; turns--)
		size = LLVMFuzzerCustomMutator(changed, size, INPUT_BYTES, (unsigned)rand_r(&seed));
	data = malloc(size);
	memcpy(data, changed, size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static void run_rounds(const struct input *input, unsigned inputs, unsigned long first,
		       unsigned long rounds)
{
	uint64_t begin = now_us(CLOCK_MONOTONIC), slowest = 0;
	unsigned long slowest_round = 0;

	for (unsigned long i = first; i < first + rounds; i++) {
		uint64_t from = now_us(CLOCK_PROCESS_CPUTIME_ID), took;

		run_changed(&input[i % inputs], (unsigned)i);
		took = now_us(CLOCK_PROCESS_CPUTIME_ID) - from;
		slowest_round = took > slowest ? i : slowest_round;
		slowest = took > slowest ? took : slowest;
	}
	printf("%lu rounds in %llu ms, the slowest, %lu, in %llu ms\n", rounds,
	       (unsigned long long)(now_us(CLOCK_MONOTONIC) - begin) / 1000, slowest_round,
	       (unsigned long long)slowest / 1000);
}

int main(int argc, char **argv)
{
	struct input *input = calloc((size_t)argc, sizeof(*input));
	unsigned long rounds = 0, first = 0;
	unsigned inputs = 0;

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "-rounds=", 8))
			rounds = strtoul(argv[i] + 8, NULL, 10);
		else if (!strncmp(argv[i], "-from=", 6))
			first = strtoul(argv[i] + 6, NULL, 10);
		else
			input[inputs++] = read_input(argv[i]);
	for (unsigned i = 0; i < inputs && !rounds; i++) {
		fflush(stdout);
		LLVMFuzzerTestOneInput(input[i].data, input[i].size);
	}
	if (inputs && rounds)
		run_rounds(input, inputs, first, rounds);
	printf("%u inputs\n", inputs);
	for (unsigned i = 0; i < inputs; i++)
		free(input[i].data);
	free(input);
	return 0;
}
