/* SPDX-License-Identifier: Apache-2.0 */
/* PATIENCE_NAME: nanoseconds, from the table patience.def. */
#pragma once

enum mpsan_patience {
#define PATIENCE(name, seconds, why) PATIENCE_##name##_S = (seconds),
#include "patience.def"
#undef PATIENCE
};

#define PATIENCE_NS(name) (PATIENCE_##name##_S * 1000000000ull)
