/* SPDX-License-Identifier: Apache-2.0 */
/* The message that a panic of Rust writes to standard error, since Rust 1.81 at once: where it was, and why. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Pieces of the message. */
struct rust_panic {
	const char *place, *text;
	size_t place_length,
		text_length; /* of the file and the line, "src/main.rs:3", and of the first line of the text */
};

/* Whether these bytes begin with such a message. */
bool rust_panic_read(const char *from, size_t bytes, struct rust_panic *panic);
