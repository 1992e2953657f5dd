/*
 * The part of a reader that is about shared memory: the ledger of segments. Neighbours: collect.h;
 * tools/facts/shm.h has the facts.
 */
#ifndef MPSAN_COLLECT_SHM_H
#define MPSAN_COLLECT_SHM_H

#include "reader.h"

struct shm_store;

struct shm_store *shm_store_create(void);
void shm_store_destroy(struct shm_store *store);

/* Takes the newest of the reader's acts. */
void collect_shm(struct reader *reader);

/*
 * Segments are followed in the order of time over all logs, so acts wait until every log has been
 * read that far. Enters those whose time has come; all when nothing more will come.
 */
void collect_shm_due(struct reader *reader, uint64_t now);

/*
 * Sizes and ends of mappings are written into records that stand already: reads those again that
 * the rules look at when this moment comes.
 */
void shm_refresh_event(struct reader *reader, uint32_t event);
void shm_refresh_process(struct reader *reader, uint32_t slot);
void shm_refresh_all(struct reader *reader);

/* What the rules see of it. */
void shm_publish(struct reader *reader, struct facts *facts);

#endif
