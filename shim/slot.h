/* The place of this image in the session's table. Neighbours: table.h, life.h. */
#ifndef MPSAN_SLOT_H
#define MPSAN_SLOT_H

#include <stdint.h>

/* The slot that the parent claimed for us, or a new one; TABLE_NO_SLOT: there is no room. Before anything is known of us. */
uint32_t slot_take(void);

#endif
