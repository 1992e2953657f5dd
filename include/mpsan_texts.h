/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of mpsan_enums.def: mpsan_NAME_text(value) is what dumps and messages show, mpsan_NAME_meaning(value)
 * is what the value means; NULL for a value that is not in the table.
 */
#ifndef MPSAN_TEXTS_H
#define MPSAN_TEXTS_H

#include <stddef.h>

#include "mpsan_log.h"

#define BITS(name) ENUM(name)
#define COUNT(constant)
#define END(name)            \
	default:             \
		return NULL; \
		}            \
		}

#define ENUM(name)                                                    \
	static inline const char *mpsan_##name##_text(uint64_t value) \
	{                                                             \
		switch (value) {
#define VALUE(constant, number, text, meaning) \
	case constant:                         \
		return text;
#include "mpsan_enums.def"
#undef ENUM
#undef VALUE

#define ENUM(name)                                                       \
	static inline const char *mpsan_##name##_meaning(uint64_t value) \
	{                                                                \
		switch (value) {
#define VALUE(constant, number, text, meaning) \
	case constant:                         \
		return meaning;
#include "mpsan_enums.def"
#undef ENUM
#undef VALUE
#undef BITS
#undef COUNT
#undef END

#endif
