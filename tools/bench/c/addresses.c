// SPDX-License-Identifier: Apache-2.0
/*
 * addresses: draws random addresses that a geographic database has coordinates for.
 *
 * usage: addresses DATABASE 4|6 COUNT SEED >FILE
 *
 * IPv4: uniformly over the located addresses. IPv6: an address of a network drawn uniformly from the located ones,
 * because nearly all of the space is empty. Writes 64-bit words in this machine's order: the upper half of an address,
 * where IPv4 stands in the upper 32 bits.
 */
#include <errno.h>
#include <maxminddb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct draw {
	MMDB_s *database;
	uint64_t random;
	uint64_t *chosen;
	uint64_t count; /* wanted */
	uint64_t met;	/* networks so far */
	uint32_t v4_root;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "addresses: %s: %s\n", what, why);
	exit(1);
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t draw_word(struct draw *draw)
{
	uint64_t z = draw->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static int is_located(MMDB_entry_s *entry)
{
	MMDB_entry_data_s data;

	return MMDB_get_value(entry, &data, "location", "latitude", NULL) == MMDB_SUCCESS && data.has_data;
}

static void draw_v4(struct draw *draw)
{
	for (uint64_t count = 0; count < draw->count;) {
		uint32_t address = draw_word(draw);
		struct sockaddr_in socket = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
		int error;
		MMDB_lookup_result_s found = MMDB_lookup_sockaddr(draw->database, (struct sockaddr *)&socket, &error);

		if (error != MMDB_SUCCESS)
			fail("database", MMDB_strerror(error));
		if (found.found_entry && is_located(&found.entry))
			draw->chosen[count++] = (uint64_t)address << 32;
	}
}

/* Keeps each network met with the same chance: the first ones fill the sample, later ones take a random place. */
static void keep(struct draw *draw, uint64_t hi, int depth)
{
	uint64_t spare = depth < 64 ? ~0ULL >> depth : 0, at = draw->met++;

	if (at >= draw->count)
		at = draw_word(draw) % draw->met;
	if (at < draw->count)
		draw->chosen[at] = hi | (draw_word(draw) & spare);
}

/* The networks below a node. Aliases of the IPv4 tree (::ffff:0:0/96, 2002::/16) are not entered. */
static void walk(struct draw *draw, uint32_t number, uint64_t hi, int depth)
{
	MMDB_search_node_s node;

	if (MMDB_read_node(draw->database, number, &node) != MMDB_SUCCESS)
		fail("database", "cannot read a node");
	for (int bit = 0; bit < 2; bit++) {
		uint64_t below = bit && depth < 64 ? hi | 1ULL << (63 - depth) : hi;
		uint8_t type = bit ? node.right_record_type : node.left_record_type;
		uint64_t record = bit ? node.right_record : node.left_record;

		if (type == MMDB_RECORD_TYPE_SEARCH_NODE && record != draw->v4_root)
			walk(draw, record, below, depth + 1);
		else if (type == MMDB_RECORD_TYPE_DATA &&
			 is_located(bit ? &node.right_record_entry : &node.left_record_entry))
			keep(draw, below, depth + 1);
	}
}

static void draw_v6(struct draw *draw)
{
	MMDB_search_node_s node;
	uint32_t root = 0;

	if (draw->database->metadata.ip_version != 6)
		fail("database", "has no IPv6");
	for (int depth = 0; depth < 96 && root < draw->database->metadata.node_count; depth++) {
		MMDB_read_node(draw->database, root, &node);
		root = node.left_record;
	}
	draw->v4_root = root;
	walk(draw, 0, 0, 0);
	if (!draw->met)
		fail("database", "has no located network of the family");
	for (uint64_t index = draw->met; index < draw->count; index++)
		draw->chosen[index] = draw->chosen[index % draw->met];
	/* Neighbours in the sample are neighbours in the tree: no order is to be left. */
	for (uint64_t index = draw->count - 1; index; index--) {
		uint64_t other = draw_word(draw) % (index + 1), word = draw->chosen[index];

		draw->chosen[index] = draw->chosen[other];
		draw->chosen[other] = word;
	}
}

int main(int arguments, char **argument)
{
	MMDB_s database;
	struct draw draw = {.database = &database};
	int status;

	if (arguments != 5) {
		fprintf(stderr, "usage: addresses DATABASE 4|6 COUNT SEED >FILE\n");
		return 2;
	}
	status = MMDB_open(argument[1], MMDB_MODE_MMAP, &database);
	if (status != MMDB_SUCCESS)
		fail(argument[1], MMDB_strerror(status));
	draw.count = strtoull(argument[3], NULL, 10);
	draw.random = strtoull(argument[4], NULL, 10);
	draw.chosen = calloc(draw.count, sizeof(*draw.chosen));
	if (!draw.count || !draw.chosen)
		fail(argument[3], "no such count");
	(argument[2][0] == '4' ? draw_v4 : draw_v6)(&draw);
	if (fwrite(draw.chosen, sizeof(*draw.chosen), draw.count, stdout) != draw.count || fflush(stdout))
		fail("output", strerror(errno));
	free(draw.chosen);
	MMDB_close(&database);
	return 0;
}
