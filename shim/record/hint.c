/* The table behind hint.h: private memory, copied by a fork, touched only where locks are used. */
#include "hint.h"

struct hint hint_table[HINTS];
