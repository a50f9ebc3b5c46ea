// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every set of fields that a queue pair can hash, and packets that differ in
 * one field each, be it hashed or not.
 */
#include <string.h>
#include "cases/flow/rss.h"

/* Headers that have four fields that can be hashed, or
 * three: an SPI stands in for both ports. */
#define SET_FIELDS   4
#define ADDRESS_BITS 3u
static const struct header_set {
	const char *name;
	uint32_t l3, l4;
	struct {
		const char *name;
		uint64_t bit;
		enum field field;
	} of[SET_FIELDS]; /* without a name: not there */
} header_sets[] = {
#define ADDRESSES(l3, l3_bits)                                                 \
	{"src", IBV_RX_HASH_SRC_##l3_bits, F_packet_##l3##_src},               \
	{                                                                      \
		"dst", IBV_RX_HASH_DST_##l3_bits, F_packet_##l3##_dst          \
	}
#define PORTS(l4)                                                              \
	{"src-port", IBV_RX_HASH_SRC_PORT_##l4, F_packet_l4_src},              \
	{                                                                      \
		"dst-port", IBV_RX_HASH_DST_PORT_##l4, F_packet_l4_dst         \
	}
#define SPI                                                                    \
	{                                                                      \
		"spi", IBV_RX_HASH_IPSEC_SPI, F_packet_esp_spi                 \
	}
	{"udp-ipv4", IPV4, UDP, {ADDRESSES(ipv4, IPV4), PORTS(UDP)}},
	{"tcp-ipv4", IPV4, TCP, {ADDRESSES(ipv4, IPV4), PORTS(TCP)}},
	{"esp-ipv4", IPV4, ESP, {ADDRESSES(ipv4, IPV4), SPI}},
	{"udp-ipv6", IPV6, UDP, {ADDRESSES(ipv6, IPV6), PORTS(UDP)}},
	{"tcp-ipv6", IPV6, TCP, {ADDRESSES(ipv6, IPV6), PORTS(TCP)}},
	{"esp-ipv6", IPV6, ESP, {ADDRESSES(ipv6, IPV6), SPI}},
};

/* Adds a value of a field that differs from the others in bits of each byte. */
static void put_hashed_value(struct gen *g, enum field field, uint8_t n)
{
	union ibv_gid gid = {.raw = {0x20, 1, 13, 0xb8}};
	bool port = field == F_packet_l4_src || field == F_packet_l4_dst;

	if (field_info(field)->kind == FK_GID) {
		memset(gid.raw + 4, n, sizeof(gid.raw) - 4);
		prog_gid(g->p, field, &gid);
	} else if (port) {
		prog_num(g->p, field, FLOW_PORT ^ n * UINT64_C(0x0101));
	} else {
		prog_num(g->p, field, FLOW_IPV4 ^ n * UINT64_C(0x01010101));
	}
}

/* A packet that has another value in fields of the set, whose bits `differ`
 * has. */
static void header_set_packet(struct rss_stage *t, const struct header_set *f,
			      unsigned int differ, uint8_t value)
{
	struct gen *g = t->g;

	flow_packet(g, &t->from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, F_packet_l3, f->l3);
	prog_num(g->p, F_packet_l4, f->l4);
	for (unsigned int i = 0; i < SET_FIELDS && f->of[i].name; i++)
		put_hashed_value(g, f->of[i].field,
				 differ >> i & 1 ? value : 0);
	flow_send(g, &t->from, FLOW_LENGTH);
	rss_poll(t);
}

/* Packets that differ from the first one in one field each, be it hashed or
 * not. */
static void header_set_packets(struct rss_stage *t, const struct header_set *f)
{
	static const uint8_t values[] = {1, 2, 4};

	header_set_packet(t, f, 0, 0);
	for (unsigned int i = 0; i < SET_FIELDS && f->of[i].name; i++)
		for (size_t v = 0; v < COUNT(values); v++)
			header_set_packet(t, f, 1u << i, values[v]);
}

/* Packets that are equal in the fields that are hashed, and differ in all
 * others. */
static void packets_alike(struct rss_stage *t, const struct header_set *f,
			  unsigned int hashed)
{
	for (unsigned int value = 0; value < 256; value = 2 * value + 1)
		header_set_packet(t, f, ~hashed, (uint8_t)value);
}

/* Which packets a case sends. */
struct sender {
	const char *folder, *what;
	void (*send)(struct rss_stage *t, const struct header_set *f,
		     unsigned int set);
};

static void send_each(struct rss_stage *t, const struct header_set *f,
		      unsigned int set)
{
	(void)set;
	header_set_packets(t, f);
}

static const struct sender each = {"mask", "Packets that differ in one field",
				   send_each};
static const struct sender alike = {
	"alike", "Packets that differ in all fields but those", packets_alike};

/* Hashes the fields of the set whose bits `set` has. */
static void header_set_mask(struct gen *g, const struct header_set *f,
			    unsigned int set, const struct sender *by_sender)
{
	const struct rss_maker by = {.create = V_create_qp_ex,
				     .claim = CLAIM_NONE,
				     .queues = 4,
				     .log_size = 2};
	enum claim claim = gen_also(g, flow_packet_claim(g),
				    gen_needs(g, CLAIM_WQ, CLAIM_RSS));
	char name[64] = "";
	uint64_t bits = 0;
	struct rss_stage t;

	for (unsigned int i = 0; i < SET_FIELDS; i++) {
		if (!(set >> i & 1))
			continue;
		bits |= f->of[i].bit;
		snprintf(name + strlen(name), sizeof(name) - strlen(name),
			 "%s%s", *name ? "+" : "", f->of[i].name);
	}
	if (!rss_offers(g, bits) || !rss_holds_table(g, by.log_size) ||
	    !gen_id(g, "%s/%s/%s", by_sender->folder, f->name, name) ||
	    !gen_says_rule(g, ROW_RSS_TOEPLITZ, claim, "%s, hashed by %s",
			   by_sender->what, name))
		return;
	t = rss_make_stage(g, &by, bits);
	by_sender->send(&t, f, set);
	gen_done(g);
}

void rss_masks(struct gen *g)
{
	for (size_t i = 0; i < COUNT(header_sets); i++) {
		const struct header_set *f = &header_sets[i];
		unsigned int n = f->of[SET_FIELDS - 1].name ? 4 : 3;

		for (unsigned int set = 1; set < 1u << n; set++)
			header_set_mask(g, f, set, &each);
		header_set_mask(g, f, ADDRESS_BITS, &alike);
		header_set_mask(g, f, ((1u << n) - 1) & ~ADDRESS_BITS, &alike);
	}
}
