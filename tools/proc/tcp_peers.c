/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/net/tcp and /proc/net/tcp6, and finds the two ends of connections. */
#include "tcp_peers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../base/util.h"

#define ADDRESS_BYTES 33u
#define MAPPED "0000000000000000FFFF0000" /* an IPv4 address within IPv6 */
#define ESTABLISHED 1u
#define SHARE 200u /* of the time, for reading the list */

struct tcp_end {
	char address[ADDRESS_BYTES];
	unsigned port;
};

struct tcp_row {
	struct tcp_end local, remote;
	unsigned long inode;
};

static struct {
	uint64_t at_ns, due_ns; /* when it was read, and may be read again */
	ARRAY(struct tcp_row) row;
} list;

static void widen(struct tcp_end *end)
{
	char address[ADDRESS_BYTES];

	if (strlen(end->address) != 8)
		return;
	snprintf(address, sizeof(address), "%s%.8s", MAPPED, end->address);
	memcpy(end->address, address, sizeof(address));
}

/* One whose data are not acknowledged yet is left out: they may be under way. */
static void add_row(const char *line)
{
	struct tcp_row row;
	unsigned state, unsent;

	if (sscanf(line, " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %x:%*x %*x:%*x %*x %*u %*u %lu",
		   row.local.address, &row.local.port, row.remote.address, &row.remote.port, &state,
		   &unsent, &row.inode) != 7 ||
	    state != ESTABLISHED || unsent || !row.inode)
		return;
	widen(&row.local);
	widen(&row.remote);
	*ARRAY_ADD(&list.row) = row;
}

static void read_list(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		add_row(line);
	if (file)
		fclose(file);
}

static bool is_current(uint64_t since_ns)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	if (list.at_ns && list.at_ns >= since_ns)
		return true;
	if (begin < list.due_ns)
		return false;
	list.row.count = 0;
	read_list("/proc/self/net/tcp");
	read_list("/proc/self/net/tcp6");
	list.at_ns = begin;
	list.due_ns = begin + (clock_ns(CLOCK_MONOTONIC) - begin) * SHARE;
	return true;
}

static bool is_same(const struct tcp_end *one, const struct tcp_end *other)
{
	return one->port == other->port && !strcmp(one->address, other->address);
}

uint64_t tcp_peer(uint64_t inode, uint64_t since_ns)
{
	const struct tcp_row *own = NULL;

	if (!is_current(since_ns))
		return TCP_LATER;
	for (uint32_t i = 0; i < list.row.count && !own; i++)
		if (list.row.item[i].inode == inode)
			own = &list.row.item[i];
	for (uint32_t i = 0; i < list.row.count && own; i++)
		if (is_same(&list.row.item[i].local, &own->remote) &&
		    is_same(&list.row.item[i].remote, &own->local))
			return list.row.item[i].inode;
	return 0;
}

void tcp_peers_forget(void)
{
	list.at_ns = list.due_ns = 0;
}
