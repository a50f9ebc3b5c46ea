// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets to a queue pair with an indirection table of two work queues, or of
 * more. Packets that are equal in the hashed field reach the same work queue,
 * whatever else differs. With INNER the field is that of the packet in a
 * tunnel. Flags of a work queue change what the queue receives.
 */
#include <string.h>
#include "cases/flow/flow.h"

#define QUEUES	 IND_QUEUES
#define PACKETS	 8
#define FORETOLD 8 /* packets whose queues are foretold */
#define RECEIVES 20
#define MANY	 17 /* packets, the first of which may all be on one queue */
#define WAIT	 20 /* ms in which a packet may arrive */

/* A hashed field, its field of the packet, and one that is not hashed. */
struct hashed {
	const char *name;
	uint64_t bit;
	uint32_t l3, l4;
	enum field own, other;
};

#define IPV4 IBV_FLOW_SPEC_IPV4
#define IPV6 IBV_FLOW_SPEC_IPV6
#define TCP  IBV_FLOW_SPEC_TCP
#define UDP  IBV_FLOW_SPEC_UDP
#define ESP  IBV_FLOW_SPEC_ESP
#define VLAN IBV_WQ_FLAGS_CVLAN_STRIPPING
#define FCS  IBV_WQ_FLAGS_SCATTER_FCS

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

struct rss_stage {
	struct gen *g;
	struct flow_sender from;
	unsigned int queues;
	uint8_t mr, rss, wq[QUEUES], cq[QUEUES];
};

/* How the queue pair of a case is made. */
struct maker {
	enum verb create;
	void (*more)(struct gen *g); /* adds settings, or NULL */
	enum claim claim;	     /* that is missing, or CLAIM_NONE */
	bool inner;		     /* the hash is over the inner packet */
	/* Fields that another queue pair of the table hashes, which is created
	 * before this one, or after it; 0: there is none */
	uint64_t earlier, later;
	bool gone; /* it is destroyed before packets are sent */
	/* The table repeats its queues; 0: it has an entry for each of two */
	unsigned int queues;
	uint32_t log_size;
	/* Numbers of the queues of the entries, or NULL */
	const uint8_t *entries;
	/* Create flags of the work queues, which comp_mask does not name if
	 * `unnamed` is set */
	uint32_t wq_flags;
	bool unnamed;
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
static uint8_t table(const struct rss_stage *t, const struct maker *by)
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

static struct rss_stage stage(struct gen *g, const struct maker *by,
			      uint64_t hashed)
{
	struct rss_stage t = {.g = g, .queues = by->queues ? by->queues : 2};
	uint8_t ind, beside = NO_OBJ;

	t.from = flow_sender(g);
	gen_parents(g, QK_RAW_PACKET);
	t.mr = gen_mr_of(g, g->pd, QUEUES * FLOW_ROOM, IBV_ACCESS_LOCAL_WRITE);
	for (unsigned int i = 0; i < t.queues; i++) {
		t.cq[i] = gen_cq(g);
		t.wq[i] = gen_wq(g, g->pd, t.cq[i]);
		prog_num(g->p, F_wq_max_wr, RECEIVES);
		if (by->wq_flags)
			prog_num(g->p, F_wq_create_flags, by->wq_flags);
		if (by->wq_flags && !by->unnamed)
			prog_num(g->p, F_wq_comp_mask, IBV_WQ_INIT_ATTR_FLAGS);
		flow_move_wq(g, t.wq[i], IBV_WQS_RDY);
		flow_post(g, V_post_wq_recv, t.wq[i], t.mr, (int)i, RECEIVES);
	}
	ind = table(&t, by);
	if (by->earlier)
		beside = flow_rss_qp(g, by->create, ind, by->earlier);
	t.rss = flow_rss_qp(g, by->create, ind,
			    by->inner ? hashed | IBV_RX_HASH_INNER : hashed);
	if (by->more)
		by->more(g);
	if (by->later)
		beside = flow_rss_qp(g, by->create, ind, by->later);
	if (by->gone)
		gen_call(g, V_destroy_qp, beside);
	gen_flow(g, t.rss, GEN_MAC);
	return t;
}

static void poll_queues(const struct rss_stage *t)
{
	for (unsigned int i = 0; i < t->queues; i++) {
		gen_call(t->g, V_poll_cq, t->cq[i]);
		prog_num(t->g->p, F_poll_max, 1);
		prog_num(t->g->p, F_poll_timeout, WAIT);
	}
}

/* Writes a packet with another value of a field. */
static void write_packet(struct gen *g, const struct flow_sender *from,
			 const struct hashed *f, enum field field, uint64_t n)
{
	flow_packet(g, from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, F_packet_l3, f->l3);
	prog_num(g->p, F_packet_l4, f->l4);
	if (f->l4 == ESP)
		prog_num(g->p, F_packet_esp_spi, 77);
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
	poll_queues(t);
}

/* `n` packets that differ in one field. */
static void packets(struct gen *g, const struct maker *by,
		    const struct hashed *f, const char *what, enum row row,
		    enum field differs, uint64_t n)
{
	enum claim claim = gen_also(
		g, flow_packet_claim(g),
		gen_also(g, gen_needs(g, CLAIM_WQ, CLAIM_RSS), by->claim));
	struct rss_stage t;

	if (!gen_id(g, "%s/%s", what, f->name) ||
	    !gen_says_rule(g, row, claim, "Packets hashed by %s", f->name))
		return;
	t = stage(g, by, f->bit);
	for (uint64_t i = 0; i < n; i++)
		packet(&t, f, by->inner, differs, i);
	gen_done(g);
}

/* Returns true if a table of the device can have so many entries. */
static bool holds_table(const struct gen *g, uint32_t log_size)
{
	uint64_t most = g->d->limit[LIM_max_rwq_indirection_table_size];

	return most >> log_size;
}

/* Returns true if the device can hash the fields. */
static bool offers(const struct gen *g, uint64_t bits)
{
	return (g->d->limit[LIM_rx_hash_fields_mask] & bits) == bits;
}

/* A change of the flags of both work queues, and the row about the packets that
 * the queues then receive. */
static const struct wq_flags {
	const char *name;
	uint32_t created, flags, mask;
	enum row row;
	bool unnamed; /* comp_mask and attr_mask do not name the flags */
} wq_flags[] = {
	{"created", VLAN, 0, 0, ROW_FLOW_VLAN, false},
	{"created-both", VLAN | FCS, 0, 0, ROW_FLOW_VLAN, false},
	{"on", 0, VLAN, VLAN, ROW_FLOW_VLAN, false},
	{"off", VLAN, 0, VLAN, ROW_FLOW_MATCH, false},
	{"on-unmasked", 0, VLAN, FCS, ROW_FLOW_MATCH, false},
	{"off-unmasked", VLAN, 0, FCS, ROW_FLOW_VLAN, false},
	{"fcs-on", 0, FCS, FCS, ROW_FLOW_FCS, false},
	{"created-unnamed", VLAN, 0, 0, ROW_FLOW_MATCH, true},
	{"created-unnamed-fcs", FCS, 0, 0, ROW_FLOW_MATCH, true},
	{"on-unnamed", 0, VLAN, VLAN, ROW_FLOW_MATCH, true},
	{"on-unnamed-fcs", 0, FCS, FCS, ROW_FLOW_MATCH, true},
};

/* Without a name for the flags the call says only which state it is in. */
static void set_flags(const struct rss_stage *t, uint8_t wq,
		      const struct wq_flags *w)
{
	flow_set_wq_flags(t->g, wq, w->flags, w->mask);
	if (!w->unnamed)
		return;
	prog_num(t->g->p, F_wq_attr_mask, IBV_WQ_ATTR_CURR_STATE);
	prog_num(t->g->p, F_wq_attr_curr_state, IBV_WQS_RDY);
}

static void tagged_to_wq(struct gen *g, const struct wq_flags *w)
{
	const struct maker by = {.create = V_create_qp_ex,
				 .claim = CLAIM_NONE,
				 .wq_flags = w->created,
				 .unnamed = w->unnamed};
	enum claim claim = gen_also(
		g, flow_packet_claim(g),
		gen_needs(g, CLAIM_WQ, CLAIM_RSS, CLAIM_CVLAN_STRIPPING,
			  w->mask & FCS ? CLAIM_SCATTER_FCS : CLAIM_NONE));
	struct rss_stage t;

	if (!gen_id(g, "wq-flags/%s", w->name) ||
	    !gen_says_rule(g, w->row, claim,
			   "A packet with a VLAN tag to a work queue whose "
			   "flags are changed (%s)",
			   w->name))
		return;
	t = stage(g, &by, fields[0].bit);
	for (unsigned int i = 0; i < t.queues && w->mask; i++)
		set_flags(&t, t.wq[i], w);
	write_packet(g, &t.from, &fields[0], fields[0].own, 0);
	prog_num(g->p, F_packet_eth_vlan, 5);
	flow_send(g, &t.from, FLOW_LENGTH);
	poll_queues(&t);
	gen_done(g);
}

void flow_rss_inner(struct gen *g, enum verb create, void (*more)(struct gen *),
		    enum claim claim)
{
	const struct maker by = {
		.create = create, .more = more, .claim = claim, .inner = true};

	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct hashed *f = &fields[i];

		if (!offers(g, IBV_RX_HASH_INNER) || !offers(g, f->bit))
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

	if (!offers(g, f->bit | other->bit))
		return;
	for (size_t i = 0; i < COUNT(sharers); i++) {
		const struct maker by = {.create = V_create_qp_ex,
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
		const struct maker by = {.create = V_create_qp_ex,
					 .claim = CLAIM_NONE,
					 .queues = l->queues,
					 .log_size = l->log_size,
					 .entries = l->entries};

		if (offers(g, f->bit) && holds_table(g, l->log_size))
			packets(g, &by, f, l->what, l->row,
				same ? f->other : f->own,
				same ? PACKETS : MANY);
	}
}

/* Headers that have four fields that can be hashed, or
 * three: an SPI stands in for both ports. */
#define SET_FIELDS 4
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

/* A packet that has another value in one field of the set. */
static void header_set_packet(struct rss_stage *t, const struct header_set *f,
			      unsigned int differs, uint8_t value)
{
	struct gen *g = t->g;

	flow_packet(g, &t->from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, F_packet_l3, f->l3);
	prog_num(g->p, F_packet_l4, f->l4);
	for (unsigned int i = 0; i < SET_FIELDS && f->of[i].name; i++)
		put_hashed_value(g, f->of[i].field, i == differs ? value : 0);
	flow_send(g, &t->from, FLOW_LENGTH);
	poll_queues(t);
}

/* Packets that differ from the first one in one field each, be it hashed or
 * not. */
static void header_set_packets(struct rss_stage *t, const struct header_set *f)
{
	static const uint8_t values[] = {1, 2, 4};

	header_set_packet(t, f, 0, 0);
	for (unsigned int i = 0; i < SET_FIELDS && f->of[i].name; i++)
		for (size_t v = 0; v < COUNT(values); v++)
			header_set_packet(t, f, i, values[v]);
}

/* Hashes the fields of the set whose bits `set` has. */
static void header_set_mask(struct gen *g, const struct header_set *f,
			    unsigned int set)
{
	const struct maker by = {.create = V_create_qp_ex,
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
	if (!offers(g, bits) || !holds_table(g, by.log_size) ||
	    !gen_id(g, "mask/%s/%s", f->name, name) ||
	    !gen_says_rule(g, ROW_RSS_TOEPLITZ, claim,
			   "Packets that differ in one field, hashed by %s",
			   name))
		return;
	t = stage(g, &by, bits);
	header_set_packets(&t, f);
	gen_done(g);
}

static void field_masks(struct gen *g)
{
	for (size_t i = 0; i < COUNT(header_sets); i++) {
		const struct header_set *f = &header_sets[i];
		unsigned int n = f->of[SET_FIELDS - 1].name ? 4 : 3;

		for (unsigned int set = 1; set < 1u << n; set++)
			header_set_mask(g, f, set);
	}
}

/* The fields that the device can hash. */
void gen_flow_rss_packets(struct gen *g)
{
	const struct maker by = {.create = V_create_qp_ex, .claim = CLAIM_NONE};

	gen_prefix(g, "rss/");
	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct hashed *f = &fields[i];

		if (!offers(g, f->bit))
			continue;
		packets(g, &by, f, "same-queue", ROW_RSS_SAME, f->other,
			PACKETS);
		packets(g, &by, f, "spread", ROW_RSS_SPREAD, f->own, MANY);
		packets(g, &by, f, "toeplitz", ROW_RSS_TOEPLITZ, f->own,
			FORETOLD);
	}
	shared_table(g);
	larger_tables(g);
	field_masks(g);
	flow_rss_inner(g, V_create_qp_ex, NULL, CLAIM_NONE);
	for (size_t i = 0; i < COUNT(wq_flags); i++)
		if (offers(g, fields[0].bit))
			tagged_to_wq(g, &wq_flags[i]);
}
