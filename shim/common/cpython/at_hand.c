/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the values of a frame for a lock. See at_hand.h. */
#include "at_hand.h"

#define AT_HAND_MAX 48u /* local variables, and the frame's stack after them */
#define BOUND_SELF 24 /* PyMethodObject.im_self, PyCFunctionObject.m_self */
#define SHARED_SEMAPHORE 16 /* SemLockObject.handle */
#define FILE_FIRST 2u /* words of a file object that may be its lock, or its buffer */
#define FILE_WORDS 24u

static bool is_buffer(const struct cpython *py, uint64_t object)
{
	return cpython_is_a(py, object, "_io.BufferedWriter") ||
	       cpython_is_a(py, object, "_io.BufferedReader") ||
	       cpython_is_a(py, object, "_io.BufferedRandom");
}

/* Where a buffer says that this is its lock; 0: it is no buffer, or has another one. */
static uint64_t lock_in_buffer(const struct cpython *py, uint64_t object, uint64_t address)
{
	uint64_t word[FILE_WORDS];

	if (!is_buffer(py, object) || !cpython_peek(py, word, object, sizeof(word)))
		return 0;
	for (unsigned i = FILE_FIRST; i < FILE_WORDS; i++)
		if (word[i] == address)
			return object + 8ull * i;
	return 0;
}

/* The same of a file, whose buffer may lie below that of its text. */
static uint64_t lock_in_file(const struct cpython *py, uint64_t object, uint64_t address)
{
	uint64_t word[FILE_WORDS], found = 0;

	if (!cpython_is_a(py, object, "_io.TextIOWrapper"))
		return lock_in_buffer(py, object, address);
	if (!cpython_peek(py, word, object, sizeof(word)))
		return 0;
	for (unsigned i = FILE_FIRST; i < FILE_WORDS && !found; i++)
		found = lock_in_buffer(py, word[i], address);
	return found;
}

bool cpython_is_shared(const struct cpython *py, uint64_t object)
{
	return cpython_is_a(py, object, "_multiprocessing.SemLock");
}

static bool has_address(const struct cpython *py, uint64_t object, uint64_t address)
{
	struct cpython_lock lock;

	if (!object)
		return false;
	if (cpython_lock(py, object, &lock))
		return lock.address == address;
	return cpython_is_shared(py, object) ?
		       cpython_member(py, object, SHARED_SEMAPHORE) == address :
		       lock_in_file(py, object, address) != 0;
}

uint64_t cpython_at_hand(const struct cpython *py, const struct frame *frame, uint64_t address)
{
	uint64_t object;

	for (unsigned i = 0; i < AT_HAND_MAX; i++) {
		object = frame_local(py, frame, i);
		if (has_address(py, object, address))
			return object;
		object = object ? cpython_member(py, object, BOUND_SELF) : 0;
		if (has_address(py, object, address))
			return object;
	}
	return 0;
}

/* print() without a file has none at hand. */
const char *cpython_standard_file(const struct cpython *py, const struct state *state,
				  uint64_t address, uint64_t *file)
{
	uint64_t modules = cpython_peek_word(py, state->interp + py->at.interp_modules),
		 module = cpython_dict_search(py, modules, "sys"),
		 names = module ? cpython_member(py, module, CPYTHON_MODULE_DICT) : 0;

	*file = cpython_dict_search(py, names, "stdout");
	if (lock_in_file(py, *file, address))
		return "sys.stdout";
	*file = cpython_dict_search(py, names, "stderr");
	return lock_in_file(py, *file, address) ? "sys.stderr" : NULL;
}

/* A word of the object that is an object of that type; 0: none. */
static uint64_t word_of_type(const struct cpython *py, uint64_t object, const char *type)
{
	uint64_t word[FILE_WORDS];

	if (!object || !cpython_peek(py, word, object, sizeof(word)))
		return 0;
	for (unsigned i = FILE_FIRST; i < FILE_WORDS; i++)
		if (word[i] % 8 == 0 && cpython_is_a(py, word[i], type))
			return word[i];
	return 0;
}

uint64_t cpython_file_name(const struct cpython *py, uint64_t file)
{
	uint64_t buffer, raw;

	if (!cpython_is_a(py, file, "_io.TextIOWrapper"))
		return 0;
	buffer = word_of_type(py, file, "_io.BufferedWriter");
	raw = word_of_type(py, buffer ? buffer : file, "_io.FileIO");
	return raw ? cpython_attribute(py, raw, "name") : 0;
}

static uint64_t lock_of_file(const struct cpython *py, const struct state *state, uint64_t address)
{
	struct frame frame;
	struct walk walk;
	uint64_t found = 0, file;

	walk_open(&walk, py, state->frame);
	if (walk_on(&walk, &frame))
		found = lock_in_file(py, cpython_at_hand(py, &frame, address), address);
	if (!found && cpython_standard_file(py, state, address, &file))
		found = lock_in_file(py, file, address);
	return found;
}

/* Its owner stands behind the lock, in all versions. */
uint64_t cpython_file_owner(const struct cpython *py, const struct state *state, uint64_t address)
{
	uint64_t at = lock_of_file(py, state, address);

	return at ? cpython_peek_word(py, at + 8) : 0;
}
