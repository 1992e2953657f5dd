/* Messages of Rust's panics, whole, cut and changed. Neighbours: shim/common/rust_panic.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../shim/common/rust_panic.h"

static void assert_panic(const char *message, const char *place, const char *text)
{
	struct rust_panic panic;

	assert_true(rust_panic_read(message, strlen(message), &panic));
	assert_int_equal(panic.place_length, strlen(place));
	assert_memory_equal(panic.place, place, panic.place_length);
	assert_int_equal(panic.text_length, strlen(text));
	assert_memory_equal(panic.text, text, panic.text_length);
}

static void messages_of_several_releases(void **state)
{
	(void)state;
	assert_panic(
		"thread 'main' panicked at src/main.rs:3:5:\nno file\nnote: run with `RUST_BACKTRACE=1`\n",
		"src/main.rs:3", "no file");
	assert_panic("\nthread 'worker 1' (7124) panicked at /home/me/a b.rs:30:15:\nno file",
		     "/home/me/a b.rs:30", "no file");
	assert_panic("thread '<unnamed>' panicked at a.rs:3:5:\n\n", "a.rs:3", "");
}

static void other_texts(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"thread 'main' has started\n",
		"thread 'main' panicked at 'no file', src/main.rs:3:5\n", /* before Rust 1.73 */
		"thread 'main' panicked at src/main.rs:3:5:",
		"thread 'main' panicked at src/main.rs:3:\nno file",
		"thread 'main' panicked at :3:5:\nno file",
		"thread 'main' panicked at ::\nno file",
		"thread 'main'\n panicked at src/main.rs:3:5:\nno file",
		"  thread 'main' panicked at src/main.rs:3:5:\nno file",
	};
	struct rust_panic panic;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(rust_panic_read(texts[i], strlen(texts[i]), &panic));
}

/* Each is read from a piece of memory that ends where it ends. */
static void changed_messages_are_read_within_their_bounds(void **state)
{
	static const char whole[] = "\nthread 'main' (71) panicked at src/main.rs:3:5:\nno file\n",
			  marks[] = "\n': 0a\0";
	uint32_t random = 1;
	struct rust_panic panic;

	(void)state;
	for (unsigned round = 0; round < 200000; round++) {
		size_t bytes = random % sizeof(whole);
		char *copy = malloc(bytes ?: 1);

		memcpy(copy, whole, bytes);
		for (unsigned i = 0; i < round % 4 && bytes; i++) {
			random = random * 1664525 + 1013904223;
			copy[(random >> 8) % bytes] = marks[(random >> 4) % sizeof(marks)];
		}
		if (rust_panic_read(copy, bytes, &panic)) {
			assert_true(panic.place > copy && panic.place_length > 0);
			assert_true(panic.text + panic.text_length <= copy + bytes);
			assert_true(panic.place + panic.place_length < panic.text);
		}
		free(copy);
		random = random * 1664525 + 1013904223;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_several_releases),
		cmocka_unit_test(other_texts),
		cmocka_unit_test(changed_messages_are_read_within_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
