/*
 * Work that ends when others have done their part. fake_table is what a library above the driver gets from
 * cuGetExportTable. Neighbours: stream.c waits, nccl/ queues.
 */
#ifndef MPSAN_FAKE_PENDING_H
#define MPSAN_FAKE_PENDING_H

#include "fake.h"

typedef int fake_done(void *data);

#define FAKE_TABLE_ID "mpsan-fake-queue"

struct fake_table {
	int (*queue)(CUstream stream, fake_done *done, void *data);
};

/* Whether what was queued in the stream, up to that number, is done; or waits until it is. */
bool pending_is_done(CUstream stream, uint64_t until);
void pending_wait(CUstream stream, uint64_t until);
/* The number of what was queued last. */
uint64_t pending_newest(void);
/* From now on the stream also waits for the other one, up to that number. */
CUresult pending_after(CUstream stream, CUstream other, uint64_t until);

#endif
