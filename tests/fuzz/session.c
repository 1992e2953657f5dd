/*
 * Reads a session that somebody may have made up: libFuzzer's entry. An input is one byte of wishes, then pieces of
 * files; they become a session directory in memory, of which everything that reads one makes what it can.
 * Neighbours: pack.py turns a directory into such an input, replay.c runs inputs without libFuzzer.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/cmd/offline.h"
#include "../../tools/formats/dump.h"
#include "../../tools/ps/ps.h"
#include "../../tools/ps/ps_memory.h"
#include "fuzz.h"

#define FILES_MAX 24
#define FILE_BYTES (1u << 20) /* of one file, at most */

/* The first byte of an input. */
enum wish {
	WISH_REPAIR =
		/* heads and sums are made right, so that the reader gets to what is behind them */
	1,
	WISH_DUMP = 2,
	WISH_PS = 4,
	WISH_MEMORY = 8,
	WISH_NO_REPORT = 16,
};

/* What stands before each piece, little-endian. */
struct piece {
	uint16_t file; /* 0: session, 1: exports, else the log of this slot + 2 */
	uint16_t bytes;
	uint32_t at;
} __attribute__((packed));

struct file {
	uint16_t number;
	uint32_t bytes;
	uint8_t data[FILE_BYTES];
};

static struct file files[FILES_MAX];
static uint32_t file_count;
static char place[64];
static FILE *nowhere;

static struct file *file_of(uint16_t number)
{
	for (uint32_t i = 0; i < file_count; i++)
		if (files[i].number == number)
			return &files[i];
	if (file_count == FILES_MAX)
		return NULL;
	files[file_count].number = number;
	return &files[file_count++];
}

static void clear_files(void)
{
	for (uint32_t i = 0; i < file_count; i++) {
		memset(files[i].data, 0, files[i].bytes);
		files[i].bytes = 0;
	}
	file_count = 0;
}

static void read_pieces(const uint8_t *data, size_t size)
{
	struct piece piece;

	while (size >= sizeof(piece)) {
		struct file *file;

		memcpy(&piece, data, sizeof(piece));
		data += sizeof(piece);
		size -= sizeof(piece);
		if (piece.bytes > size)
			piece.bytes = (uint16_t)size;
		file = piece.at <= FILE_BYTES - piece.bytes ? file_of(piece.file) : NULL;
		if (file)
			memcpy(file->data + piece.at, data, piece.bytes);
		if (file && file->bytes < piece.at + piece.bytes)
			file->bytes = piece.at + piece.bytes;
		data += piece.bytes;
		size -= piece.bytes;
	}
}

static void repair_record(struct file *file, uint32_t at, uint64_t *bytes)
{
	struct mpsan_record *record = (struct mpsan_record *)(file->data + at);
	uint64_t size = record->units * (uint64_t)MPSAN_UNIT;

	*bytes = MPSAN_UNIT;
	if (!record->commit || !size || size > file->bytes - at)
		return;
	*bytes = size;
	record->commit =
		(uint32_t)MPSAN_RECORD_MAGIC << 16 |
		mpsan_record_sum((const uint64_t *)(record + 1), (size - sizeof(*record)) / 8);
}

static void repair_log(struct file *file)
{
	struct mpsan_log *head = (struct mpsan_log *)file->data;
	uint64_t bytes;

	if (file->bytes < MPSAN_LOG_START)
		return;
	head->magic = MPSAN_LOG_MAGIC;
	head->format = MPSAN_FORMAT;
	for (uint64_t at = MPSAN_LOG_START; at + MPSAN_UNIT <= file->bytes; at += bytes)
		repair_record(file, (uint32_t)at, &bytes);
}

static void repair_session(struct file *file)
{
	struct mpsan_session *head = (struct mpsan_session *)file->data;
	uint64_t room = file->bytes < MPSAN_PAGE ?
				0 :
				(file->bytes - MPSAN_PAGE) / sizeof(struct mpsan_process);

	head->magic = MPSAN_SESSION_MAGIC;
	if (head->format != MPSAN_FORMAT)
		head->format = MPSAN_SESSION_FORMAT;
	if (head->slots > room)
		head->slots = (uint32_t)room;
	if (head->slots_max < head->slots || head->slots_max > MPSAN_SLOTS_MAX)
		head->slots_max = head->slots;
}

static void repair(void)
{
	for (uint32_t i = 0; i < file_count; i++) {
		if (files[i].number == 0)
			repair_session(&files[i]);
		else if (files[i].number > 1)
			repair_log(&files[i]);
	}
}

static void write_file(int dirfd, const struct file *file)
{
	char name[24] = "session";
	int fd;

	if (file->number == 1)
		strcpy(name, "exports");
	else if (file->number)
		snprintf(name, sizeof(name), "%u.log", file->number - 2);
	fd = openat(dirfd, name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, file->data, file->bytes) != file->bytes)
		abort();
	close(fd);
}

static void write_session(void)
{
	DIR *stream = opendir(place);
	struct dirent *entry;

	if (!stream)
		abort();
	while ((entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(stream), entry->d_name, 0);
	for (uint32_t i = 0; i < file_count; i++)
		write_file(dirfd(stream), &files[i]);
	closedir(stream);
}

static void report(void)
{
	static char *words[] = {"report", "--fail-on=never", "--policy=strict", place, NULL};
	char *dirs[] = {place, NULL};
	struct settings settings;
	struct report told = {0};

	if (options_parse(&settings, OPT_REPORT, "report", 4, words))
		abort();
	for (const struct report_format *format = report_formats; format->name; format++)
		*ARRAY_ADD(&settings.reports) = (struct report_target){format, "/dev/null"};
	if (!offline_judge(&settings, dirs, &told))
		offline_write(&settings, &told);
	report_finish(&told);
	options_finish(&settings);
}

static void ignore_record(const json_t *object)
{
	json_dumpf(object, nowhere, JSON_COMPACT);
}

static void ps_one(void (*print)(struct ps *ps))
{
	struct ps ps;
	char *wrong = ps_open(&ps, place);

	if (wrong) {
		free(wrong);
		return;
	}
	print(&ps);
	ps_close(&ps);
}

static void print_waits(struct ps *ps)
{
	struct ps_picture *picture = ps_picture(ps, NULL);

	ps_print(nowhere, picture);
	json_decref(ps_json(picture));
	ps_picture_free(picture);
}

static void print_memory(struct ps *ps)
{
	json_t *document = ps_memory_document(ps);

	ps_memory_print(nowhere, document);
	json_decref(document);
}

static void remove_place(void)
{
	clear_files();
	write_session();
	rmdir(place);
}

static void begin(void)
{
	nowhere = fopen("/dev/null", "we");
	strcpy(place, "/dev/shm/mpsan-fuzz-XXXXXX");
	if (!nowhere || !mkdtemp(place))
		abort();
	atexit(remove_place);
}

/* ---- changes that know words and records ---- */

/* Where the data of a piece chosen by chance begins, 0: there is none; `bytes` is how much it has. */
static size_t some_piece(const uint8_t *data, size_t size, unsigned *seed, uint32_t *bytes)
{
	size_t found = 0, at = 1;
	struct piece piece;

	for (uint32_t seen = 0; at + sizeof(piece) <= size; at += sizeof(piece) + piece.bytes) {
		memcpy(&piece, data + at, sizeof(piece));
		if (at + sizeof(piece) + piece.bytes > size)
			break;
		if (piece.bytes < 8 || rand_r(seed) % ++seen)
			continue;
		found = at + sizeof(piece);
		*bytes = piece.bytes;
	}
	return found;
}

static uint64_t some_number(const uint8_t *data, size_t size, unsigned *seed)
{
	uint32_t bytes;
	size_t at = some_piece(data, size, seed, &bytes);
	struct piece piece;
	uint64_t word;

	switch (rand_r(seed) % 5) {
	case 0:
		return rand_r(seed) % 16;
	case 1:
		return 1ull << rand_r(seed) % 64;
	case 2: /* a position of some record */
		memcpy(&piece, data + at - sizeof(piece), sizeof(piece));
		return piece.at + rand_r(seed) % (bytes / 8) / 8 * MPSAN_UNIT;
	case 3:
		return UINT64_MAX - rand_r(seed) % 4;
	default:
		memcpy(&word, data + at + rand_r(seed) % (bytes / 8) * 8, 8);
		return word;
	}
}

/* The type of a record, or that and its writer, becomes another. */
static void change_head(uint8_t *data, uint32_t bytes, unsigned *seed)
{
	uint8_t *unit = data + rand_r(seed) % (bytes / MPSAN_UNIT) * MPSAN_UNIT;

	unit[4] = (uint8_t)(rand_r(seed) % EV_COUNT);
	if (rand_r(seed) % 4 == 0)
		unit[12] = (uint8_t)(rand_r(seed) % 8);
}

static void copy_units(uint8_t *data, uint32_t bytes, unsigned *seed)
{
	uint32_t units = bytes / MPSAN_UNIT, from = rand_r(seed) % units, to = rand_r(seed) % units;
	uint32_t most = units - (from > to ? from : to), count = 1 + rand_r(seed) % 4;

	memmove(data + to * MPSAN_UNIT, data + from * MPSAN_UNIT,
		(count < most ? count : most) * MPSAN_UNIT);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	uint32_t bytes = 0, turns = 1 + rand_r(&seed) % 4;
	size_t at = some_piece(data, size, &seed, &bytes);
	uint64_t word;

	if (!at || rand_r(&seed) % 4 == 0)
		return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, room) : size;
	while (turns--) {
		at = some_piece(data, size, &seed, &bytes);
		word = some_number(data, size, &seed);
		if (rand_r(&seed) % 4 || bytes < 2 * MPSAN_UNIT)
			memcpy(data + at + rand_r(&seed) % (bytes / 8) * 8, &word, 8);
		else if (rand_r(&seed) % 2)
			change_head(data + at, bytes, &seed);
		else
			copy_units(data + at, bytes, &seed);
	}
	if (rand_r(&seed) % 32 == 0)
		data[0] = (uint8_t)rand_r(&seed) % 32;
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (!nowhere)
		begin();
	clear_files();
	read_pieces(data + 1, size - 1);
	if (data[0] & WISH_REPAIR)
		repair();
	write_session();
	if (!(data[0] & WISH_NO_REPORT))
		report();
	if (data[0] & WISH_DUMP)
		free(dump_session(place, ignore_record));
	if (data[0] & WISH_PS)
		ps_one(print_waits);
	if (data[0] & WISH_MEMORY)
		ps_one(print_memory);
	return 0;
}
