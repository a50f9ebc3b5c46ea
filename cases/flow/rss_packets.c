// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets to a queue pair with an indirection table of two work queues, or of
 * more. Packets that are equal in the hashed field reach the same work queue,
 * whatever else differs. With INNER the field is that of the packet in a
 * tunnel.
 */
#include <string.h>
#include "program/toeplitz.h"
#include "cases/flow/rss.h"

#define PACKETS	 8
#define FORETOLD 8 /* packets whose queues are foretold */
#define RECEIVES 20
#define MANY	 17 /* packets, the first of which may all be on one queue */
#define WAIT	 20 /* ms in which a packet may arrive */
/* The logarithm of the longest table whose entries each have a port */
#define LONGEST_LOG 12

/* A hashed field, its field of the packet, and one that is not hashed. */
struct hashed {
	const char *name;
	uint64_t bit;
	uint32_t l3, l4;
	enum field own, other;
};

static const struct hashed fields[] = {
	{"src-ipv4", IBV_RX_HASH_SRC_IPV4, IPV4, UDP, F_packet_ipv4_src,
	 F_packet_ipv4_dst},
	{"dst-ipv4", IBV_RX_HASH_DST_IPV4, IPV4, UDP, F_packet_ipv4_dst,
	 F_packet_ipv4_src},
	{"src-ipv6", IBV_RX_HASH_SRC_IPV6, IPV6, UDP, F_packet_ipv6_src,
	 F_packet_l4_src},
	{"dst-ipv6", IBV_RX_HASH_DST_IPV6, IPV6, UDP, F_packet_ipv6_dst,
	 F_packet_l4_src},
	{"src-port-tcp", IBV_RX_HASH_SRC_PORT_TCP, IPV4, TCP, F_packet_l4_src,
	 F_packet_l4_dst},
	{"dst-port-tcp", IBV_RX_HASH_DST_PORT_TCP, IPV4, TCP, F_packet_l4_dst,
	 F_packet_l4_src},
	{"src-port-udp", IBV_RX_HASH_SRC_PORT_UDP, IPV4, UDP, F_packet_l4_src,
	 F_packet_l4_dst},
	{"dst-port-udp", IBV_RX_HASH_DST_PORT_UDP, IPV4, UDP, F_packet_l4_dst,
	 F_packet_l4_src},
	{"ipv4-by-src", IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4, IPV4, UDP,
	 F_packet_ipv4_src, F_packet_l4_src},
	{"ipv4-by-dst", IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4, IPV4, UDP,
	 F_packet_ipv4_dst, F_packet_l4_dst},
	{"ipv6-by-src", IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6, IPV6, UDP,
	 F_packet_ipv6_src, F_packet_l4_src},
	{"src-ipv4-beside-tcp", IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_PORT_TCP,
	 IPV4, UDP, F_packet_ipv4_src, F_packet_l4_src},
	{"src-port-beside-ipv4",
	 IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_PORT_UDP,
	 IPV4, UDP, F_packet_l4_src, F_packet_l4_dst},
	{"dst-port-beside-ipv4",
	 IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_DST_PORT_TCP,
	 IPV4, TCP, F_packet_l4_dst, F_packet_l4_src},
	{"spi", IBV_RX_HASH_IPSEC_SPI, IPV4, ESP, F_packet_esp_spi,
	 F_packet_ipv4_src},
};

uint8_t flow_rss_qp(struct gen *g, enum verb create, uint8_t ind,
		    uint64_t hashed)
{
	uint8_t qp = gen_make(g, create, NO_OBJ);

	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			 IBV_QP_INIT_ATTR_RX_HASH);
	prog_obj(g->p, F_pd, g->pd);
	prog_num(g->p, F_qp_type, IBV_QPT_RAW_PACKET);
	prog_obj(g->p, F_rwq_ind_tbl, ind);
	prog_num(g->p, F_rx_hash_function, IBV_RX_HASH_FUNC_TOEPLITZ);
	prog_num(g->p, F_rx_hash_key_len, 40);
	prog_num(g->p, F_rx_hash_fields_mask, hashed);
	return qp;
}

/* Creates an indirection table of the work queues, over and over, or of the
 * four entries that are given. */
static uint8_t table(const struct rss_stage *t, const struct rss_maker *by)
{
	static const enum field more[] = {F_ind_wq1, F_ind_wq2, F_ind_wq3};
	static const uint8_t in_turn[] = {0, 1, 2, 3};
	const uint8_t *entries = by->entries ? by->entries : in_turn;
	unsigned int n = by->entries ? COUNT(in_turn) : t->queues;
	uint8_t ind = gen_ind(t->g, t->wq[entries[0]]);

	prog_num(t->g->p, F_ind_log_size, by->log_size ? by->log_size : 1);
	for (unsigned int i = 1; i < n; i++)
		prog_obj(t->g->p, more[i - 1], t->wq[entries[i]]);
	return ind;
}

/* Makes the other table, if it is made at this time. */
static void beside_table(const struct rss_stage *t, const struct rss_maker *by,
			 int now)
{
	const struct rss_maker other = {.log_size = 2, .entries = by->beside};
	uint8_t ind;

	if (!by->beside || (int)by->made != now)
		return;
	ind = table(t, &other);
	if (by->beside_gone)
		gen_call(t->g, V_destroy_rwq_ind_table, ind);
}

/* Adds to a move to RDY what the call has beside the state. */
static void put_ready(struct gen *g, const struct rss_ready *ready)
{
	if (!ready)
		return;
	prog_num(g->p, F_wq_attr_mask, ready->attr_mask);
	if (ready->attr_mask & IBV_WQ_ATTR_CURR_STATE)
		prog_num(g->p, F_wq_attr_curr_state, IBV_WQS_RESET);
	prog_num(g->p, F_wq_attr_flags, ready->flags);
	prog_num(g->p, F_wq_attr_flags_mask, ready->flags_mask);
}

void rss_refill(const struct rss_stage *t, unsigned int which)
{
	flow_post(t->g, V_post_wq_recv, t->wq[which], t->mr, (int)which,
		  RECEIVES);
}

struct rss_stage rss_make_stage(struct gen *g, const struct rss_maker *by,
				uint64_t hashed)
{
	struct rss_stage t = {.g = g, .queues = by->queues ? by->queues : 2};
	uint8_t ind, beside = NO_OBJ;

	t.from = flow_sender(g);
	gen_parents(g, QK_RAW_PACKET);
	t.mr = gen_mr_of(g, g->pd, IND_QUEUES * FLOW_ROOM,
			 IBV_ACCESS_LOCAL_WRITE);
	for (unsigned int i = 0; i < t.queues; i++) {
		t.cq[i] = gen_cq(g);
		t.wq[i] = gen_wq(g, g->pd, t.cq[i]);
		prog_num(g->p, F_wq_max_wr, RECEIVES);
		if (by->wq_flags)
			prog_num(g->p, F_wq_create_flags, by->wq_flags);
		if (by->wq_flags && !by->unnamed)
			prog_num(g->p, F_wq_comp_mask, IBV_WQ_INIT_ATTR_FLAGS);
		flow_move_wq(g, t.wq[i], IBV_WQS_RDY);
		put_ready(g, by->ready);
		rss_refill(&t, i);
	}
	beside_table(&t, by, MADE_BEFORE);
	ind = table(&t, by);
	beside_table(&t, by, MADE_BEHIND);
	if (by->earlier)
		beside = flow_rss_qp(g, by->create, ind, by->earlier);
	t.rss = flow_rss_qp(g, by->create, ind,
			    by->inner ? hashed | IBV_RX_HASH_INNER : hashed);
	if (by->more)
		by->more(g);
	beside_table(&t, by, MADE_LAST);
	if (by->later)
		beside = flow_rss_qp(g, by->create, ind, by->later);
	if (by->gone)
		gen_call(g, V_destroy_qp, beside);
	gen_flow(g, t.rss, GEN_MAC);
	return t;
}

void rss_poll(const struct rss_stage *t)
{
	for (unsigned int i = 0; i < t->queues; i++) {
		gen_call(t->g, V_poll_cq, t->cq[i]);
		prog_num(t->g->p, F_poll_max, 1);
		prog_num(t->g->p, F_poll_timeout, WAIT);
	}
}

static void write_usual(struct gen *g, const struct flow_sender *from,
			const struct hashed *f)
{
	flow_packet(g, from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, F_packet_l3, f->l3);
	prog_num(g->p, F_packet_l4, f->l4);
	if (f->l4 == ESP)
		prog_num(g->p, F_packet_esp_spi, 77);
}

/* Writes a packet with another value of a field. */
static void write_packet(struct gen *g, const struct flow_sender *from,
			 const struct hashed *f, enum field field, uint64_t n)
{
	write_usual(g, from, f);
	if (field_info(field)->kind == FK_GID)
		prog_gid(g->p, field,
			 &(union ibv_gid){.raw = {0x20, 1, 13,
						  0xb8, [15] = (uint8_t)n}});
	else
		prog_num(g->p, field, FLOW_IPV4 + 16 + n);
}

/* Sends a packet with another value of a field, and polls all work queues.
 * In a tunnel the outer headers always differ. */
static void packet(struct rss_stage *t, const struct hashed *f, bool inner,
		   enum field field, uint64_t n)
{
	struct gen *g = t->g;

	write_packet(g, &t->from, f, field, n);
	if (inner) {
		prog_num(g->p, F_packet_offset, FLOW_TUNNEL);
		flow_tunnel(g, &t->from, GEN_MAC, FLOW_TUNNEL + FLOW_LENGTH);
		prog_num(g->p, F_packet_ipv4_src, FLOW_IPV4 + 16 + n);
		prog_num(g->p, F_packet_ipv4_dst, FLOW_IPV4 + 32 + n);
		prog_num(g->p, F_packet_l4_src, 1000 + n);
	}
	flow_send(g, &t->from, inner ? FLOW_TUNNEL + FLOW_LENGTH : FLOW_LENGTH);
	rss_poll(t);
}

/* Sends a packet with a value of the hashed field, and polls all work queues.
 */
static void packet_to(struct rss_stage *t, const struct hashed *f,
		      uint64_t value)
{
	write_usual(t->g, &t->from, f);
	prog_num(t->g->p, f->own, value);
	flow_send(t->g, &t->from, FLOW_LENGTH);
	rss_poll(t);
}

/* Begins a case about packets that are hashed by a field. */
static bool opens(struct gen *g, const struct rss_maker *by,
		  const struct hashed *f, const char *what, enum row row)
{
	enum claim claim = gen_also(
		g, flow_packet_claim(g),
		gen_also(g, gen_needs(g, CLAIM_WQ, CLAIM_RSS), by->claim));

	return gen_id(g, "%s/%s", what, f->name) &&
	       gen_says_rule(g, row, claim, "Packets hashed by %s", f->name);
}

/* `n` packets that differ in one field. */
static void packets(struct gen *g, const struct rss_maker *by,
		    const struct hashed *f, const char *what, enum row row,
		    enum field differs, uint64_t n)
{
	struct rss_stage t;

	if (!opens(g, by, f, what, row))
		return;
	t = rss_make_stage(g, by, f->bit);
	for (uint64_t i = 0; i < n; i++)
		packet(&t, f, by->inner, differs, i);
	gen_done(g);
}

bool rss_holds_table(const struct gen *g, uint32_t log_size)
{
	uint64_t most = g->d->limit[LIM_max_rwq_indirection_table_size];

	return most >> log_size;
}

bool rss_offers(const struct gen *g, uint64_t bits)
{
	return (g->d->limit[LIM_rx_hash_fields_mask] & bits) == bits;
}

void flow_rss_inner(struct gen *g, enum verb create, void (*more)(struct gen *),
		    enum claim claim)
{
	const struct rss_maker by = {
		.create = create, .more = more, .claim = claim, .inner = true};

	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct hashed *f = &fields[i];

		if (!rss_offers(g, IBV_RX_HASH_INNER) || !rss_offers(g, f->bit))
			continue;
		packets(g, &by, f, "inner/same-queue", ROW_RSS_INNER, f->other,
			PACKETS);
		packets(g, &by, f, "inner/spread", ROW_RSS_SPREAD, f->own,
			MANY);
	}
}

/* Two queue pairs of one indirection table hash different fields. */
static void shared_table(struct gen *g)
{
	const struct hashed *f = &fields[0], *other = &fields[1];
	const struct sharer {
		const char *same, *toeplitz;
		uint64_t earlier, later;
		bool gone;
	} sharers[] = {
		{"same-queue/second-of-table", "toeplitz/second-of-table",
		 other->bit, 0, false},
		{"same-queue/first-of-table", "toeplitz/first-of-table", 0,
		 other->bit, false},
		{"same-queue/without-first-of-table",
		 "toeplitz/without-first-of-table", other->bit, 0, true},
		{"same-queue/without-second-of-table",
		 "toeplitz/without-second-of-table", 0, other->bit, true},
	};

	if (!rss_offers(g, f->bit | other->bit))
		return;
	for (size_t i = 0; i < COUNT(sharers); i++) {
		const struct rss_maker by = {.create = V_create_qp_ex,
					     .claim = CLAIM_NONE,
					     .earlier = sharers[i].earlier,
					     .later = sharers[i].later,
					     .gone = sharers[i].gone};

		packets(g, &by, f, sharers[i].same, ROW_RSS_SAME, f->other,
			PACKETS);
		packets(g, &by, f, sharers[i].toeplitz, ROW_RSS_TOEPLITZ,
			f->own, FORETOLD);
	}
}

static const struct hashed *field_of(const char *name)
{
	const struct hashed *f = fields;

	while (strcmp(f->name, name))
		f++;
	return f;
}

/* Tables of more than two entries: with four queues, and with three, so that
 * the halves of a table of eight differ; and with two queues in an order that
 * does not repeat. The ports of the packets reach all entries, which the
 * addresses do not. */
static void larger_tables(struct gen *g)
{
	const struct hashed *f = field_of("src-port-udp");
	static const uint8_t last[] = {0, 0, 0, 1}, mirrored[] = {0, 1, 1, 0};
	const struct larger {
		const char *what;
		enum row row;
		unsigned int queues;
		uint32_t log_size;
		const uint8_t *entries;
	} tables[] = {
		{"same-queue/table-of-four", ROW_RSS_SAME, 4, 2, NULL},
		{"toeplitz/table-of-four", ROW_RSS_TOEPLITZ, 4, 2, NULL},
		{"toeplitz/table-of-eight", ROW_RSS_TOEPLITZ, 3, 3, NULL},
		{"toeplitz/last-entry-differs", ROW_RSS_TOEPLITZ, 2, 2, last},
		{"toeplitz/mirrored-table", ROW_RSS_TOEPLITZ, 2, 2, mirrored},
	};

	for (size_t i = 0; i < COUNT(tables); i++) {
		const struct larger *l = &tables[i];
		bool same = l->row == ROW_RSS_SAME;
		const struct rss_maker by = {.create = V_create_qp_ex,
					     .claim = CLAIM_NONE,
					     .queues = l->queues,
					     .log_size = l->log_size,
					     .entries = l->entries};

		if (rss_offers(g, f->bit) && rss_holds_table(g, l->log_size))
			packets(g, &by, f, l->what, l->row,
				same ? f->other : f->own,
				same ? PACKETS : MANY);
	}
}

/* Another table beside that of the queue pair. Each table has the entries that
 * its caller named, whatever the caller does with the array afterwards. */
static void two_tables(struct gen *g)
{
	const struct hashed *f = field_of("src-port-udp");
	static const uint8_t own[] = {0, 1, 1, 0}, reversed[] = {1, 0, 0, 1},
			     others[] = {2, 3, 3, 2};
	static const struct {
		const char *what;
		struct rss_maker by;
	} tables[] = {
#define TABLE(name, ...)                                                       \
	{                                                                      \
		"toeplitz/other-table-" name,                                  \
		{                                                              \
			.create = V_create_qp_ex, .claim = CLAIM_NONE,         \
			.log_size = 2, .entries = own, __VA_ARGS__             \
		}                                                              \
	}
		TABLE("before", .beside = reversed, .made = MADE_BEFORE),
		TABLE("behind", .beside = reversed, .made = MADE_BEHIND),
		TABLE("gone", .beside = reversed, .made = MADE_BEHIND,
		      .beside_gone = true),
		TABLE("last", .beside = reversed, .made = MADE_LAST),
		TABLE("of-others", .queues = 4, .beside = others,
		      .made = MADE_BEHIND),
	};

	if (!rss_offers(g, f->bit) || !rss_holds_table(g, 2))
		return;
	for (size_t i = 0; i < COUNT(tables); i++)
		packets(g, &tables[i].by, f, tables[i].what, ROW_RSS_TOEPLITZ,
			f->own, FORETOLD);
}

/* Returns a port that leads packets to an entry of a table. */
static uint16_t port_to(uint32_t log_size, uint32_t entry)
{
	for (uint16_t port = 1024; port; port++) {
		uint8_t byte[] = {(uint8_t)(port >> 8), (uint8_t)port};

		if ((toeplitz_hash(byte, sizeof(byte)) &
		     ((1u << log_size) - 1)) == entry)
			return port;
	}
	return FLOW_PORT; /* of a table with more entries than ports */
}

/* Sends packets to the first entry and to those around each power of two, the
 * last entry among them. */
static void to_edges(struct rss_stage *t, const struct hashed *f,
		     uint32_t log_size)
{
	packet_to(t, f, port_to(log_size, 0));
	for (uint32_t log = 1; log <= log_size; log++) {
		packet_to(t, f, port_to(log_size, (1u << log) - 1));
		if (log < log_size)
			packet_to(t, f, port_to(log_size, 1u << log));
	}
}

/* A table of three queues over and over, so that entries with the distance of a
 * power of two differ, as neighbours do. */
static void table_of_three(struct gen *g, const char *entries,
			   uint32_t log_size)
{
	const struct rss_maker by = {.create = V_create_qp_ex,
				     .claim = CLAIM_NONE,
				     .queues = 3,
				     .log_size = log_size};
	const struct hashed *f = field_of("src-port-udp");
	struct rss_stage t;
	char what[48];

	snprintf(what, sizeof(what), "same-queue/table-of-%s", entries);
	packets(g, &by, f, what, ROW_RSS_SAME, f->other, PACKETS);
	snprintf(what, sizeof(what), "toeplitz/table-of-%s", entries);
	packets(g, &by, f, what, ROW_RSS_TOEPLITZ, f->own, MANY);
	snprintf(what, sizeof(what), "toeplitz/edges-of-%s", entries);
	if (!opens(g, &by, f, what, ROW_RSS_TOEPLITZ))
		return;
	t = rss_make_stage(g, &by, f->bit);
	to_edges(&t, f, log_size);
	gen_done(g);
}

static void long_tables(struct gen *g)
{
	static const struct long_table {
		const char *entries;
		uint32_t log_size;
	} tables[] = {{"16", 4}, {"64", 6}, {"128", 7}, {"256", 8}};
	const struct long_table *longest = &tables[COUNT(tables) - 1];
	uint32_t most = longest->log_size;

	if (!rss_offers(g, field_of("src-port-udp")->bit))
		return;
	for (size_t i = 0; i < COUNT(tables); i++)
		if (rss_holds_table(g, tables[i].log_size))
			table_of_three(g, tables[i].entries,
				       tables[i].log_size);
	while (most < LONGEST_LOG && rss_holds_table(g, most + 1))
		most++;
	if (most > longest->log_size)
		table_of_three(g, "most", most);
}

/* The fields that the device can hash. */
void gen_flow_rss_packets(struct gen *g)
{
	const struct rss_maker by = {.create = V_create_qp_ex,
				     .claim = CLAIM_NONE};

	gen_prefix(g, "rss/");
	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct hashed *f = &fields[i];

		if (!rss_offers(g, f->bit))
			continue;
		packets(g, &by, f, "same-queue", ROW_RSS_SAME, f->other,
			PACKETS);
		packets(g, &by, f, "spread", ROW_RSS_SPREAD, f->own, MANY);
		packets(g, &by, f, "toeplitz", ROW_RSS_TOEPLITZ, f->own,
			FORETOLD);
	}
	shared_table(g);
	larger_tables(g);
	two_tables(g);
	rss_masks(g);
	long_tables(g);
	flow_rss_inner(g, V_create_qp_ex, NULL, CLAIM_NONE);
	rss_wq_flags(g);
	rss_wq_ready(g);
}
