/*
 * Writes the session of a long training job, as the library would: ranks with data loaders whose workers hand tensors
 * over in shared memory, epoch after epoch, some with CUDA, and a number of hazards. For measuring what reads sessions.
 *
 * usage: session DIR EVENTS PROCESSES FINDINGS
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"

#define SECOND 1000000000ull
#define SLOTS 32768u
#define RANKS 8u
#define GENERATION 16u /* workers of a rank that live at the same time */
#define STEP_NS 50000ull /* from one tensor of the job to the next */
#define LOG_BYTES (1ull << 34) /* of address space for each log */
#define NAMED 64u /* tensors for one that bears a name which its receiver removes */
#define PLACES 12u /* Python stacks of a process */
#define PID_FIRST 4194304u /* above the kernel's highest pid */
#define DEVICE 0x1bull

struct process {
	uint32_t slot, rank, generation, number;
	uint32_t left; /* tensors that it is to make */
	int fd;
	uint8_t *log;
	uint64_t room; /* bytes of the file */
	uint64_t place[PLACES], stack;
	uint32_t findings;
};

static struct process *processes;
static struct mpsan_process *table;
static struct mpsan_session *head;
static uint32_t count, per_worker, findings_left;
static uint64_t events, now_ns, inode = 1000;
static const char *dir;

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static int make_file(const char *name, uint64_t bytes)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		fail(path);
	return fd;
}

static void *map_file(int fd, uint64_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? fail("mmap"), NULL : map;
}

static void open_session(void)
{
	uint64_t bytes = MPSAN_PAGE + SLOTS * sizeof(struct mpsan_process);
	struct timespec now;
	int fd = make_file("session", bytes);

	clock_gettime(CLOCK_REALTIME, &now);
	head = map_file(fd, bytes);
	close(fd);
	table = (struct mpsan_process *)((char *)head + MPSAN_PAGE);
	*head = (struct mpsan_session){.magic = MPSAN_SESSION_MAGIC,
				       .format = MPSAN_FORMAT,
				       .slots = SLOTS,
				       .start_ns = SECOND,
				       .start_real_ns = (uint64_t)(now.tv_sec - 86400) * SECOND,
				       .supervisor = 1,
				       .claimed = count};
}

static void open_log(struct process *process)
{
	struct mpsan_log *log;
	char name[24];

	snprintf(name, sizeof(name), "%u.log", process->slot);
	process->room = MPSAN_CHUNK;
	process->fd = make_file(name, process->room);
	process->log = map_file(process->fd, LOG_BYTES);
	log = (struct mpsan_log *)process->log;
	*log = (struct mpsan_log){.magic = MPSAN_LOG_MAGIC,
				  .format = MPSAN_FORMAT,
				  .slot = process->slot,
				  .pid = table[process->slot].pid,
				  .chunk = MPSAN_CHUNK,
				  .cap = LOG_BYTES,
				  .birth_ns = now_ns,
				  .head = MPSAN_LOG_START};
}

static uint64_t put(struct process *process, unsigned type, const void *payload, uint64_t bytes,
		    uint64_t later)
{
	struct mpsan_log *log = (struct mpsan_log *)process->log;
	uint64_t size =
		(bytes + sizeof(struct mpsan_record) + MPSAN_UNIT - 1) / MPSAN_UNIT * MPSAN_UNIT;
	uint64_t pos = log->head;
	struct mpsan_record *record;

	if (pos / MPSAN_CHUNK != (pos + size - 1) / MPSAN_CHUNK)
		pos = (pos / MPSAN_CHUNK + 1) * MPSAN_CHUNK;
	log->head = pos + size;
	while (log->head > process->room)
		if (ftruncate(process->fd, (off_t)(process->room += MPSAN_CHUNK)))
			fail("a log");
	record = (struct mpsan_record *)(process->log + pos);
	memcpy(record + 1, payload, bytes);
	record->type = (uint16_t)type;
	record->units = (uint16_t)(size / MPSAN_UNIT);
	record->tid = table[process->slot].pid;
	record->slot = process->slot;
	record->time_ns = now_ns += 100;
	record->later = later;
	record->commit =
		(uint32_t)MPSAN_RECORD_MAGIC << 16 |
		mpsan_record_sum((const uint64_t *)(record + 1), (size - sizeof(*record)) / 8);
	events++;
	return pos;
}

#define PUT(process, later, name, ...) \
	put(process, EV_##name, &(struct ev_##name){__VA_ARGS__}, sizeof(struct ev_##name), later)

static uint64_t put_text(struct process *process, const char *text)
{
	return put(process, EV_text, text, strlen(text) + 1, 0);
}

/* The stacks of a process are noted once each, as the library does. */
static uint64_t place_of(struct process *process, uint32_t number)
{
	char text[512];

	number %= PLACES;
	if (!process->place[number]) {
		snprintf(
			text, sizeof(text),
			"reduce_storage\t/usr/lib/python3/dist-packages/torch/multiprocessing/reductions.py\t%u\n"
			"dumps\t/usr/lib/python3.11/multiprocessing/reduction.py\t51\n"
			"_worker_loop\t/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py\t%u\n"
			"main\t/srv/job/train.py\t%u",
			300 + number, 200 + number, 10 + number);
		process->place[number] = put_text(process, text);
	}
	return process->place[number];
}

static void put_modules(struct process *process)
{
	for (uint32_t i = 0; i < 60; i++) {
		char path[64];
		uint64_t base = 0x7f0000000000ull + i * 0x1000000ull, at;

		snprintf(path, sizeof(path), "/srv/job/lib/libpart%u.so", i);
		at = put_text(process, path);
		PUT(process, 0, module, .base = base, .end = base + 0x800000, .path = at,
		    .text_start = base, .text_end = base + 0x400000);
	}
}

static void put_stack(struct process *process)
{
	static uint8_t bytes[sizeof(struct mpsan_stack) + 2048];

	process->stack = put(process, EV_stack, bytes, sizeof(bytes), 0);
}

static void begin(struct process *process, struct process *parent)
{
	struct mpsan_process *entry = &table[process->slot];
	uint64_t fork = 0;

	if (parent) {
		fork = PUT(parent, 0, fork, .how = MPSAN_HOW_FORK, .threads = 2,
			   .held = process->number % 8 == 0, .python = place_of(parent, 0),
			   .flags = MPSAN_FORK_TORCH | MPSAN_FORK_PYTHON);
		if (process->number % 8 == 0)
			PUT(parent, 0, held, .fork = fork, .lock = 0x7fff0000,
			    .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED,
			    .holder = entry->pid, .python = place_of(parent, 1));
	}
	*entry = (struct mpsan_process){.pid = PID_FIRST + process->number,
					.parent = parent ? parent->slot + 1 : 0,
					.how = parent ? MPSAN_HOW_FORK : MPSAN_HOW_ROOT,
					.flags = MPSAN_PROCESS_ATTACHED | MPSAN_PROCESS_LOG,
					.birth_ns = now_ns,
					.attach_ns = now_ns,
					.fork_pos = fork,
					.python = 0x030b02f0,
					.argv_bytes = 17};
	memcpy(entry->argv, "python3\0train.py", 17);
	open_log(process);
	if (!parent)
		put_modules(process);
	put_stack(process);
	if (parent) {
		char name[32];

		snprintf(name, sizeof(name), "Process-%u", process->number);
		PUT(process, 0, process_name, .name = put_text(process, name));
		PUT(parent, 0, fork_done, .fork = fork, .child = entry->pid);
	}
	PUT(process, 0, thread_start, .entry = 0x7f0000001000, .creator = entry->pid);
}

static void end(struct process *process)
{
	struct mpsan_process *entry = &table[process->slot];

	entry->end_ns = now_ns += 1000;
	entry->end = MPSAN_END_EXIT;
	munmap(process->log, LOG_BYTES);
	close(process->fd);
	process->log = NULL;
}

/* One tensor goes from a worker to its rank; every NAMED-th by its name, which the receiver removes. */
static void put_tensor(struct process *maker, struct process *taker)
{
	bool by_name = inode % NAMED == 0;
	uint64_t node = inode++, text, later = MPSAN_LATER_SENT | 8064;
	char name[64];

	snprintf(name, sizeof(name), "/dev/shm/torch_%u_%u_%u", table[maker->slot].pid,
		 (uint32_t)(node * 2654435761u), (uint32_t)node);
	text = put_text(maker, name);
	PUT(maker, 0, shm_intent, .name = text, .way = MPSAN_SHM_OPEN);
	PUT(maker, later | (by_name ? 0 : MPSAN_LATER_UNLINKED), shm, .name = text,
	    .way = MPSAN_SHM_OPEN, .flags = MPSAN_SHM_MADE | MPSAN_SHM_TORCH | MPSAN_SHM_WRITABLE,
	    .fd = 18, .device = DEVICE, .inode = node, .caller = 0x7f0000002000,
	    .stack = maker->stack, .python = place_of(maker, 2));
	PUT(maker, now_ns + STEP_NS / 4, shm_map, .device = DEVICE | MPSAN_SHM_MAP_WRITABLE,
	    .inode = node, .address = 0x7f5000000000ull, .bytes = 8192);
	PUT(maker, 0, shm_sent, .device = DEVICE, .inode = node, .to = table[taker->slot].pid,
	    .fd = 18);
	text = by_name ? put_text(taker, name) : 0;
	PUT(taker, 0, shm, .name = text, .way = by_name ? MPSAN_SHM_OPEN : MPSAN_SHM_RECEIVED,
	    .flags = MPSAN_SHM_TORCH | (by_name ? 0 : MPSAN_SHM_UNNAMED), .fd = 20,
	    .device = DEVICE, .inode = node, .bytes = 8064, .from = table[maker->slot].pid,
	    .caller = 0x7f0000002000, .stack = taker->stack, .python = place_of(taker, 3));
	PUT(taker, now_ns + 20 * STEP_NS, shm_map, .device = DEVICE | MPSAN_SHM_MAP_WRITABLE,
	    .inode = node, .address = 0x7f6000000000ull, .bytes = 8192);
	if (by_name)
		PUT(taker, 0, shm_unlinked, .name = text, .device = DEVICE, .inode = node,
		    .bytes = 8064, .caller = 0x7f0000002000, .python = place_of(taker, 4));
}

/* Device memory that a worker opens, and closes. */
static void put_export(struct process *owner, struct process *user)
{
	uint64_t handle = 0xabc000 + inode, base = 0x7f9000000000ull + inode * 0x200000;

	PUT(owner, 0, ipc_export, .handle = handle, .memory = MPSAN_MEMORY_DEVICE, .base = base,
	    .bytes = 1 << 20, .python = place_of(owner, 5));
	PUT(user, 0, ipc_open, .handle = handle, .memory = MPSAN_MEMORY_DEVICE, .address = base,
	    .bytes = 1 << 20, .owner_slot = owner->slot + 1, .owner_base = base,
	    .python = place_of(user, 6));
	PUT(user, 0, ipc_close, .handle = handle, .address = base);
	PUT(owner, 0, ipc_free, .handle = handle, .memory = MPSAN_MEMORY_DEVICE, .base = base,
	    .bytes = 1 << 20);
}

/* What goes wrong has a place of its own each time. */
static void put_hazard(struct process *process)
{
	uint32_t number = findings_left--;
	char text[128];
	uint64_t python;

	snprintf(text, sizeof(text),
		 "step_%u\t/srv/job/model_%u.py\t%u\nmain\t/srv/job/train.py\t12", number,
		 number % 40, number);
	python = put_text(process, text);
	if (number % 2)
		PUT(process, 0, shm_refused, .reason = MPSAN_SHM_NO_DESCRIPTOR, .result = 24,
		    .count = 1000, .limit = 1024, .python = python);
	else
		PUT(process, 0, unlock_failed, .lock = 0x7fff0000 + number * 64,
		    .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_ERRORCHECK, .error = 1,
		    .python = python, .caller = 0x7f0000003000);
}

/* What a worker does beside its tensors. */
static void put_more(struct process *worker, struct process *rank, uint32_t number)
{
	if (number % 512 == 0)
		PUT(worker, 0, shared_lock, .lock = 0x7fff1000 + number,
		    .kind = MPSAN_LOCK_SEMAPHORE, .device = DEVICE, .inode = 7,
		    .offset = number * 32);
	if (number % 512 == 1)
		PUT(worker, 0, lock_gone, .lock = 0x7fff1000 + number - 1);
	if (number % 256 == 0 && rank->number % 2 == 1)
		put_export(rank, worker);
	if (worker->findings && number % 16 == 3) {
		worker->findings--;
		put_hazard(worker);
	}
}

static uint32_t scattered(uint32_t number)
{
	return number * 2654435761u % SLOTS; /* an odd factor: no two are the same */
}

/* Workers of one generation of all ranks work by turns. */
static void run_generation(struct process *first, uint32_t workers, struct process *ranks)
{
	for (uint32_t i = 0; i < workers; i++)
		begin(&first[i], &ranks[i % RANKS]);
	for (uint32_t tensor = 0; tensor < per_worker; tensor++)
		for (uint32_t i = 0; i < workers; i++) {
			put_tensor(&first[i], &ranks[i % RANKS]);
			put_more(&first[i], &ranks[i % RANKS], tensor);
			now_ns += STEP_NS / GENERATION;
		}
	for (uint32_t i = 0; i < workers; i++)
		end(&first[i]);
}

int main(int argc, char **argv)
{
	uint64_t wanted;
	uint32_t workers;

	if (argc != 5 || (count = (uint32_t)atoi(argv[3])) < RANKS + 2 || count > SLOTS) {
		fprintf(stderr, "usage: session DIR EVENTS PROCESSES FINDINGS\n");
		return 2;
	}
	dir = argv[1];
	wanted = strtoull(argv[2], NULL, 10);
	findings_left = (uint32_t)atoi(argv[4]);
	workers = count - RANKS - 1;
	per_worker = (uint32_t)(wanted / workers / 7);
	if (mkdir(dir, 0700))
		fail(dir);
	processes = calloc(count, sizeof(*processes));
	now_ns = SECOND;
	open_session();
	for (uint32_t i = 0; i < count; i++)
		processes[i] = (struct process){.slot = scattered(i), .number = i};
	for (uint32_t i = 0; i < workers; i++)
		processes[1 + RANKS + i].findings =
			findings_left / workers + (i < findings_left % workers);
	begin(&processes[0], NULL);
	for (uint32_t i = 1; i <= RANKS; i++)
		begin(&processes[i], &processes[0]);
	for (uint32_t at = 1 + RANKS; at < count; at += GENERATION * RANKS)
		run_generation(&processes[at],
			       count - at < GENERATION * RANKS ? count - at : GENERATION * RANKS,
			       &processes[1]);
	for (uint32_t i = RANKS + 1; i-- > 0;)
		end(&processes[i]);
	head->end_ns = now_ns += SECOND;
	printf("%llu\n", (unsigned long long)events);
	return 0;
}
