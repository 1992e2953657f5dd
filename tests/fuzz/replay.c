/* Runs inputs once each, without libFuzzer: replay FILE... Neighbour: test_corpus.py. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define INPUT_BYTES (1u << 20)

int main(int argc, char **argv)
{
	static uint8_t data[INPUT_BYTES];

	for (int i = 1; i < argc; i++) {
		FILE *stream = fopen(argv[i], "re");
		size_t size;

		if (!stream) {
			perror(argv[i]);
			return 2;
		}
		size = fread(data, 1, sizeof(data), stream);
		fclose(stream);
		fflush(stdout);
		LLVMFuzzerTestOneInput(data, size);
	}
	printf("%d inputs\n", argc - 1);
	return 0;
}
