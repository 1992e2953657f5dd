/*
 * One of the processes of test_ipc_model.py: makes, exports, opens, closes and frees memory as lines on its
 * standard input say, `NUMBER VERB PLACE [BYTES | HANDLE]`, and answers each with a line, `RESULT [HANDLE]`. The
 * number of a line stands in the names of the functions through which it is obeyed, so that evidence names it.
 */
// link: -fno-optimize-sibling-calls -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "../preload/cuda.h"

#define PLACES 16384u /* more than lines of one test */

struct line {
	unsigned number, place;
	char verb[16], word[2 * CU_IPC_HANDLE_SIZE + 1];
};

static CUdeviceptr made[PLACES], opened[PLACES];

static CUipcMemHandle handle_of(const char *text)
{
	CUipcMemHandle handle;
	unsigned byte;

	must(strlen(text) == 2 * sizeof(handle));
	for (size_t i = 0; i < sizeof(handle); i++) {
		must(sscanf(text + 2 * i, "%2x", &byte) == 1);
		handle.reserved[i] = (char)byte;
	}
	return handle;
}

static void answer(CUresult result)
{
	must(printf("%d\n", result) > 0);
}

static void export(CUdeviceptr address)
{
	CUipcMemHandle handle;
	CUresult result = cuIpcGetMemHandle(&handle, address);

	must(printf("%d ", result) > 0);
	for (size_t i = 0; result == 0 && i < sizeof(handle); i++)
		must(printf("%02x", (unsigned char)handle.reserved[i]) > 0);
	must(printf("\n") > 0);
}

static void act(const struct line *line)
{
	CUdeviceptr *own = &made[line->place], *other = &opened[line->place];

	if (!strcmp(line->verb, "allocate"))
		answer(cuMemAlloc_v2(own, strtoul(line->word, NULL, 10)));
	else if (!strcmp(line->verb, "export"))
		export(*own);
	else if (!strcmp(line->verb, "free"))
		answer(cuMemFree_v2(*own));
	else if (!strcmp(line->verb, "open"))
		answer(cuIpcOpenMemHandle_v2(other, handle_of(line->word),
					     CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	else if (!strcmp(line->verb, "close"))
		answer(cuIpcCloseMemHandle(*other));
	else if (!strcmp(line->verb, "forward"))
		export(*other);
	else
		must(!"a verb that is known");
}

/* Ten functions for each digit of a line's number, those of the units called by those of the tens, and so on. */
/* clang-format off */
#define STEP(level, digit, next) \
	static NOINLINE void level##_##digit(const struct line *line) \
	{ \
		next(line); \
	}
#define LEVEL(level, unit, next) \
	STEP(level, 0, next) STEP(level, 1, next) STEP(level, 2, next) STEP(level, 3, next) STEP(level, 4, next) \
	STEP(level, 5, next) STEP(level, 6, next) STEP(level, 7, next) STEP(level, 8, next) STEP(level, 9, next) \
	static NOINLINE void level(const struct line *line) \
	{ \
		static void (*const steps[])(const struct line *) = { \
			level##_0, level##_1, level##_2, level##_3, level##_4, \
			level##_5, level##_6, level##_7, level##_8, level##_9, \
		}; \
		steps[line->number / (unit) % 10](line); \
	}
/* clang-format on */

LEVEL(units, 1, act)
LEVEL(tens, 10, units)
LEVEL(hundreds, 100, tens)
LEVEL(thousands, 1000, hundreds)

int main(void)
{
	struct line line = {0};
	char text[256];

	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	use_device(0);
	answer(CUDA_SUCCESS);
	while (fgets(text, sizeof(text), stdin)) {
		line.word[0] = '\0';
		must(sscanf(text, "%u %15s %u %128s", &line.number, line.verb, &line.place,
			    line.word) >= 3);
		must(line.place < PLACES);
		thousands(&line);
	}
	return 0;
}
