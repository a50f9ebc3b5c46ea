/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * XRC: domains by file descriptor and flags, the bits and types of
 * ibv_create_srq_ex, and queue pairs that ibv_open_qp opens by number.
 */
#include <fcntl.h>
#include "cases/generate/generate.h"

static const enum claim xrc[] = {CLAIM_XRC, CLAIM_TYPE_XRC_RECV, CLAIM_NONE};

#define BOTH (IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS)

static uint8_t open_by(struct gen *g, uint32_t comp_mask, enum xrcd_fd fd,
		       int oflags)
{
	uint8_t xrcd = gen_make(g, V_open_xrcd, NO_OBJ);

	prog_num(g->p, F_xrcd_comp_mask, comp_mask);
	prog_num(g->p, F_xrcd_fd, fd);
	prog_num(g->p, F_xrcd_oflags, (uint64_t)oflags);
	return xrcd;
}

static const struct {
	const char *name;
	enum row row;
	enum xrcd_fd fd;
	int oflags;
} domains[] = {
	{"private", ROW_OBJ_ACCEPT, XRCD_PRIVATE, O_CREAT},
	{"private-without-creat", ROW_OBJ_ACCEPT, XRCD_PRIVATE, 0},
	{"private-exclusive", ROW_OBJ_ACCEPT, XRCD_PRIVATE, O_CREAT | O_EXCL},
	{"file", ROW_OBJ_ACCEPT, XRCD_FILE0, O_CREAT},
	{"file-exclusive", ROW_OBJ_ACCEPT, XRCD_FILE0, O_CREAT | O_EXCL},
	{"file-missing", ROW_XRCD_MISSING, XRCD_FILE0, 0},
	{"file-missing-exclusive", ROW_XRCD_MISSING, XRCD_FILE0, O_EXCL},
	{"closed", ROW_XRCD_FD, XRCD_CLOSED, O_CREAT},
	{"closed-without-creat", ROW_XRCD_FD, XRCD_CLOSED, 0},
};

static void domain(struct gen *g, size_t i)
{
	enum row row = domains[i].row;
	uint8_t xrcd;

	if (!gen_id(g, "open/%s", domains[i].name) ||
	    !gen_says_rule(g, row, gen_missing(g, xrc), "XRC domain (%s)",
			   domains[i].name))
		return;
	xrcd = open_by(g, BOTH, domains[i].fd, domains[i].oflags);
	if (!row_accepts(row))
		xrcd = open_by(g, BOTH, XRCD_FILE1, O_CREAT);
	gen_call(g, V_close_xrcd, xrcd);
	gen_done(g);
}

/* A second handle on the same file. */
static void second(struct gen *g, const char *name, enum row row, int oflags,
		   enum xrcd_fd fd)
{
	uint8_t first, again;

	if (!gen_id(g, "again/%s", name) ||
	    !gen_says_rule(g, row, gen_missing(g, xrc),
			   "XRC domain opened a second time (%s)", name))
		return;
	first = open_by(g, BOTH, XRCD_FILE0, O_CREAT);
	again = open_by(g, BOTH, fd, oflags);
	gen_call(g, V_close_xrcd, first);
	if (row_accepts(row))
		gen_call(g, V_close_xrcd, again);
	again = open_by(g, BOTH, XRCD_FILE0, O_CREAT | O_EXCL);
	gen_call(g, V_close_xrcd, again);
	gen_done(g);
}

/* The domain of a file lasts until its last handle is closed, whichever handle
 * that is. */
static void after_close(struct gen *g, bool first_goes)
{
	uint8_t first, other, again;

	if (!gen_id(g, "again/%s-closed", first_goes ? "first" : "second") ||
	    !gen_says(g, ROW_OBJ_ACCEPT, gen_missing(g, xrc),
		      "An XRC domain of which the %s of two handles was closed "
		      "can be opened again.",
		      first_goes ? "first" : "second"))
		return;
	first = open_by(g, BOTH, XRCD_FILE0, O_CREAT);
	other = open_by(g, BOTH, XRCD_FILE0, O_CREAT);
	gen_call(g, V_close_xrcd, first_goes ? first : other);
	again = open_by(g, BOTH, XRCD_FILE0, 0);
	gen_call(g, V_close_xrcd, first_goes ? other : first);
	gen_call(g, V_close_xrcd, again);
	again = open_by(g, BOTH, XRCD_FILE0, O_CREAT | O_EXCL);
	gen_call(g, V_close_xrcd, again);
	gen_done(g);
}

/* The domain of a file is gone with its last handle, however often and however
 * the domain is made. */
static void made_again(struct gen *g, bool first, bool then)
{
	static const char *const names[] = {"shared", "exclusive"};
	uint8_t xrcd;

	if (!gen_id(g, "again/closed-%s-%s", names[first], names[then]) ||
	    !gen_says(g, ROW_OBJ_ACCEPT, gen_missing(g, xrc),
		      "The XRC domain of a file is made (%s), closed, and made "
		      "again (%s), three times.",
		      names[first], names[then]))
		return;
	for (int i = 0; i < 6; i++) {
		bool exclusive = i % 2 ? then : first;

		xrcd = open_by(g, BOTH, XRCD_FILE0,
			       O_CREAT | (exclusive ? O_EXCL : 0));
		gen_call(g, V_close_xrcd, xrcd);
	}
	open_by(g, BOTH, XRCD_FILE0, 0);
	gen_done(g);
}

/* The step before an exclusive open. */
enum meanwhile {
	NOTHING,
	OTHER_FILE,
	NO_FILE,
	ANOTHER_HANDLE,
	FIRST_CLOSED,
	OTHER_CLOSED,
	REFUSED,
	MEANWHILE_NR
};

static const char *const meanwhile_names[MEANWHILE_NR] = {
	"alone",	"other-file",	"private", "two-handles",
	"first-closed", "other-closed", "twice"};

/* Returns a handle that was opened, or NO_OBJ. The domain stays. */
static uint8_t do_meanwhile(struct gen *g, enum meanwhile what, uint8_t first)
{
	uint8_t other;

	if (what == NOTHING)
		return NO_OBJ;
	if (what == REFUSED) {
		open_by(g, BOTH, XRCD_FILE0, O_CREAT | O_EXCL);
		return NO_OBJ;
	}
	other = open_by(g, BOTH,
			what == OTHER_FILE ? XRCD_FILE1
			: what == NO_FILE  ? XRCD_PRIVATE
					   : XRCD_FILE0,
			O_CREAT);
	if (what == FIRST_CLOSED || what == OTHER_CLOSED)
		gen_call(g, V_close_xrcd, what == FIRST_CLOSED ? first : other);
	return other;
}

/* An exclusive open is refused while a file has a domain, by whichever
 * descriptor the domain was made, and granted when the domain is gone. */
static void exclusive(struct gen *g, bool made_by_another, bool then_by_another,
		      bool first_exclusive, enum meanwhile what)
{
	enum xrcd_fd then = then_by_another ? XRCD_FILE0_AGAIN : XRCD_FILE0;
	uint8_t first, other, again;

	if (!gen_id(g, "exclusive/%s%s%s/%s",
		    made_by_another ? "another-then-" : "",
		    then_by_another ? "another" : "first",
		    first_exclusive ? "-both" : "", meanwhile_names[what]) ||
	    !gen_says_rule(g, ROW_XRCD_EXCL, gen_missing(g, xrc),
			   "An XRC domain that exists (%s)",
			   meanwhile_names[what]))
		return;
	first = open_by(g, BOTH,
			made_by_another ? XRCD_FILE0_AGAIN : XRCD_FILE0,
			O_CREAT | (first_exclusive ? O_EXCL : 0));
	other = do_meanwhile(g, what, first);
	open_by(g, BOTH, then, O_CREAT | O_EXCL);
	again = open_by(g, BOTH, then, 0);
	if (what != FIRST_CLOSED)
		gen_call(g, V_close_xrcd, first);
	if (other != NO_OBJ && what != OTHER_CLOSED)
		gen_call(g, V_close_xrcd, other);
	gen_call(g, V_close_xrcd, again);
	again = open_by(g, BOTH, then, O_CREAT | O_EXCL);
	gen_call(g, V_close_xrcd, again);
	gen_done(g);
}

static void exclusives(struct gen *g)
{
	for (int by = 0; by < 4; by++) {
		for (int what = 0; what < MEANWHILE_NR; what++)
			exclusive(g, by / 2, by % 2, false,
				  (enum meanwhile)what);
		exclusive(g, by / 2, by % 2, true, NOTHING);
	}
}

static void domain_mask(struct gen *g, uint32_t mask, const char *name)
{
	uint8_t xrcd;

	if (!gen_id(g, "mask/%s", name) ||
	    !gen_says_rule(g, ROW_XRCD_MASK, gen_missing(g, xrc),
			   "XRC domain with comp_mask %s", name))
		return;
	open_by(g, mask, XRCD_PRIVATE, O_CREAT);
	xrcd = gen_xrcd(g);
	gen_call(g, V_close_xrcd, xrcd);
	gen_done(g);
}

static void domain_masks(struct gen *g)
{
	char name[16];

	domain_mask(g, 0, "0");
	domain_mask(g, IBV_XRCD_INIT_ATTR_FD, "fd");
	domain_mask(g, IBV_XRCD_INIT_ATTR_OFLAGS, "oflags");
	for (int bit = 2; bit < 32; bit++) {
		snprintf(name, sizeof(name), "bit%d", bit);
		domain_mask(g, BOTH | 1u << bit, name);
	}
}

/* XRC SRQs with and without the attributes that they need. */
static void srq_mask(struct gen *g, uint32_t mask, uint32_t type,
		     const char *name)
{
	bool parts = !(mask & ~0xfu) && (mask & IBV_SRQ_INIT_ATTR_PD);
	enum row row =
		parts && type == IBV_SRQT_XRC ? ROW_SRQ_XRC : ROW_SRQ_EX_MASK;
	uint8_t pd, cq, xrcd, srq;

	if (!gen_id(g, "bits/%s", name) ||
	    !gen_says_rule(g, row, gen_needs(g, CLAIM_XRC, CLAIM_SRQ),
			   "Extended SRQ (%s)", name))
		return;
	pd = gen_pd(g);
	cq = gen_cq(g);
	xrcd = gen_xrcd(g);
	srq = gen_xrc_srq(g, pd, xrcd, cq);
	prog_num(g->p, F_srq_comp_mask, mask);
	prog_num(g->p, F_srq_type, type);
	srq = gen_xrc_srq(g, pd, xrcd, cq);
	gen_call(g, V_query_srq, srq);
	gen_call(g, V_destroy_srq, srq);
	gen_done(g);
}

static void srq_basic(struct gen *g, uint32_t mask, const char *name)
{
	uint8_t srq, pd;

	if (!gen_id(g, "bits/%s", name) ||
	    !gen_says(g, ROW_SRQ_AT_LEAST, gen_needs(g, CLAIM_XRC, CLAIM_SRQ),
		      "Extended SRQ (%s) is granted.", name))
		return;
	pd = gen_pd(g);
	srq = gen_make(g, V_create_srq_ex, NO_OBJ);
	prog_num(g->p, F_srq_comp_mask, mask);
	prog_obj(g->p, F_srq_pd, pd);
	prog_num(g->p, F_srq_max_wr, 5);
	prog_num(g->p, F_srq_max_sge, 2);
	gen_call(g, V_query_srq, srq);
	gen_call(g, V_destroy_srq, srq);
	gen_done(g);
}

void gen_create_srq_bits(struct gen *g)
{
	const uint32_t type = IBV_SRQ_INIT_ATTR_TYPE, pd = IBV_SRQ_INIT_ATTR_PD;
	const uint32_t dom = IBV_SRQ_INIT_ATTR_XRCD, cq = IBV_SRQ_INIT_ATTR_CQ;
	char name[24];

	srq_basic(g, pd, "pd-only");
	srq_basic(g, pd | type, "basic");
	srq_mask(g, type | pd | cq, IBV_SRQT_XRC, "xrc-without-xrcd");
	srq_mask(g, type | pd | dom, IBV_SRQT_XRC, "xrc-without-cq");
	srq_mask(g, type | pd, IBV_SRQT_XRC, "xrc-without-both");
	srq_mask(g, type | dom | cq, IBV_SRQT_XRC, "xrc-without-pd");
	srq_mask(g, type, IBV_SRQT_BASIC, "basic-without-pd");
	srq_mask(g, 0, IBV_SRQT_BASIC, "nothing");
	srq_mask(g, type | pd, 3, "type-3");
	srq_mask(g, type | pd, 255, "type-255");
	for (int bit = 5; bit < 32; bit++) {
		snprintf(name, sizeof(name), "bit%d", bit);
		srq_mask(g, type | pd | dom | cq | 1u << bit, IBV_SRQT_XRC,
			 name);
	}
}

/* Adds ibv_open_qp: another handle on the same queue pair. */
static uint8_t open_qp(struct gen *g, uint32_t mask, uint8_t xrcd)
{
	uint8_t qp = gen_make(g, V_open_qp, NO_OBJ);

	prog_num(g->p, F_open_comp_mask, mask);
	prog_obj(g->p, F_open_xrcd, xrcd);
	prog_out(g->p, F_open_qp_num, g->qp, F_qp_num, 0);
	prog_num(g->p, F_open_qp_type, IBV_QPT_XRC_RECV);
	return qp;
}

#define OPEN_ALL                                                               \
	(IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE)

static void opened_state(struct gen *g, int state)
{
	enum claim claim = gen_claim(g, QK_XRC_RECV, state, state);
	uint8_t other;

	if (!gen_id(g, "state/%s", state_slug(state)) ||
	    !gen_says_rule(g, ROW_OPEN_STATE, claim,
			   "ibv_open_qp of XRC_RECV in %s", state_name(state)))
		return;
	gen_fixture(g, QK_XRC_RECV, state);
	other = open_qp(g, OPEN_ALL, g->xrcd);
	gen_query(g, other);
	gen_step(g, other, state, gen_next(g, state));
	gen_query(g, g->qp);
	gen_call(g, V_destroy_qp, g->qp);
	gen_query(g, other);
	gen_call(g, V_close_xrcd, g->xrcd);
	gen_call(g, V_destroy_qp, other);
	gen_call(g, V_close_xrcd, g->xrcd);
	gen_done(g);
}

static void open_mask(struct gen *g, uint32_t mask, const char *name)
{
	if (!gen_id(g, "mask/%s", name) ||
	    !gen_says_rule(g, ROW_OPEN_MASK, gen_missing(g, xrc),
			   "ibv_open_qp with comp_mask %s", name))
		return;
	gen_qp(g, QK_XRC_RECV);
	open_qp(g, mask, g->xrcd);
	gen_query(g, g->qp);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_close_xrcd, g->xrcd);
	gen_done(g);
}

static void open_masks(struct gen *g)
{
	char name[16];

	open_mask(g, 0, "0");
	open_mask(g, OPEN_ALL & ~IBV_QP_OPEN_ATTR_NUM, "without-num");
	open_mask(g, OPEN_ALL & ~IBV_QP_OPEN_ATTR_XRCD, "without-xrcd");
	open_mask(g, OPEN_ALL & ~IBV_QP_OPEN_ATTR_TYPE, "without-type");
	for (int bit = 4; bit < 32; bit++) {
		snprintf(name, sizeof(name), "bit%d", bit);
		open_mask(g, OPEN_ALL | 1u << bit, name);
	}
}

static bool target_case(struct gen *g, const char *name)
{
	if (!gen_id(g, "target/%s", name) ||
	    !gen_says_rule(g, ROW_OPEN_TARGET, gen_missing(g, xrc),
			   "ibv_open_qp (%s)", name))
		return false;
	gen_qp(g, QK_XRC_RECV);
	return true;
}

static void open_targets(struct gen *g)
{
	static const int types[] = {0, 2, 3, 4, 8, 9, 11, 255};
	char name[24];

	for (size_t i = 0; i < COUNT(types); i++) {
		snprintf(name, sizeof(name), "type-%d", types[i]);
		if (!target_case(g, name))
			continue;
		open_qp(g, OPEN_ALL, g->xrcd);
		prog_num(g->p, F_open_qp_type, (uint64_t)types[i]);
		gen_query(g, g->qp);
		gen_done(g);
	}
	if (target_case(g, "no-such-number")) {
		open_qp(g, OPEN_ALL, g->xrcd);
		prog_num(g->p, F_open_qp_num, 0xfffffe);
		gen_query(g, g->qp);
		gen_done(g);
	}
	if (target_case(g, "other-domain")) {
		open_qp(g, OPEN_ALL, gen_xrcd(g));
		gen_query(g, g->qp);
		gen_done(g);
	}
	if (target_case(g, "destroyed")) {
		open_qp(g, OPEN_ALL, g->xrcd);
		gen_call(g, V_destroy_qp, g->qp);
		gen_call(g, V_destroy_qp, (uint8_t)(g->qp + 1));
		gen_call(g, V_close_xrcd, g->xrcd);
		gen_done(g);
	}
}

/* Two handles of XRC domains, by the files that name them. */
static const struct two_domains {
	const char *name;
	enum xrcd_fd fd[2];
	bool same;
} two_domains[] = {
	{"anonymous", {XRCD_PRIVATE, XRCD_PRIVATE}, false},
	{"two-files", {XRCD_FILE0, XRCD_FILE1}, false},
	{"anonymous-and-file", {XRCD_PRIVATE, XRCD_FILE0}, false},
	{"one-file", {XRCD_FILE0, XRCD_FILE0}, true},
	{"one-file-again", {XRCD_FILE0, XRCD_FILE0_AGAIN}, true},
};

static bool domains_case(struct gen *g, const struct two_domains *t,
			 const char *where, uint8_t xrcd[2])
{
	if (!gen_id(g, "domains/%s/%s", t->name, where) ||
	    !gen_says_rule(g, t->same ? ROW_OPEN_STATE : ROW_OPEN_TARGET,
			   gen_missing(g, xrc),
			   "ibv_open_qp by the handle of %s XRC domain",
			   t->same ? "the same" : "another"))
		return false;
	g->kind = QK_XRC_RECV;
	for (int i = 0; i < 2; i++)
		xrcd[i] = open_by(g, BOTH, t->fd[i], O_CREAT);
	return true;
}

/* ibv_open_qp opens a target by the other handle, and by the target's own
 * handle if both belong to one domain. */
static void one_target(struct gen *g, const struct two_domains *t, int in)
{
	uint8_t xrcd[2], handle;

	if (!domains_case(g, t, in ? "second" : "first", xrcd))
		return;
	g->xrcd = xrcd[in];
	g->qp = gen_qp_of(g, QK_XRC_RECV);
	handle = open_qp(g, OPEN_ALL, xrcd[!in]);
	gen_query(g, t->same ? handle : g->qp);
	if (t->same)
		gen_query(g, open_qp(g, OPEN_ALL, xrcd[in]));
	gen_call(g, V_close_xrcd, xrcd[!in]);
	gen_done(g);
}

/* Each domain has a target, which the handle of the other one does not open. */
static void target_in_each(struct gen *g, const struct two_domains *t)
{
	uint8_t xrcd[2], qp[2];

	if (!domains_case(g, t, "each", xrcd))
		return;
	for (int i = 0; i < 2; i++) {
		g->xrcd = xrcd[i];
		qp[i] = gen_qp_of(g, QK_XRC_RECV);
	}
	for (int i = 0; i < 2; i++) {
		g->qp = qp[i];
		open_qp(g, OPEN_ALL, xrcd[!i]);
	}
	gen_query(g, qp[0]);
	gen_done(g);
}

/* The modern form of ibv_query_xrc_rcv_qp: the attributes of a queue pair that
 * another process may own, by a handle opened by number. */
static void query_opened(struct gen *g)
{
	static const int path[] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
				   IBV_QPS_ERR};
	int at = IBV_QPS_RESET;
	uint8_t other;

	if (!gen_id(g, "query-xrc-rcv") ||
	    !gen_says(g, ROW_QRY_OPENED, gen_missing(g, xrc), "%s",
		      rule(ROW_QRY_OPENED)->text))
		return;
	gen_qp(g, QK_XRC_RECV);
	other = open_qp(g, OPEN_ALL, g->xrcd);
	for (size_t i = 0; i < COUNT(path); i++) {
		gen_step(g, i % 2 ? other : g->qp, at, path[i]);
		at = path[i];
		gen_query_all(g, other);
		gen_query_all(g, g->qp);
	}
	gen_call(g, V_destroy_qp, g->qp);
	gen_query_all(g, other);
	gen_call(g, V_destroy_qp, other);
	gen_call(g, V_close_xrcd, g->xrcd);
	gen_done(g);
}

/* The same by the old calls, if the library still exports them. */
static void query_old(struct gen *g, int state)
{
	enum claim claims[OLD_NR + 3] = {CLAIM_XRC, CLAIM_TYPE_XRC_RECV};
	struct gen_values v = {0};
	uint32_t mask = A_STATE;

	for (int i = 0; i < OLD_NR; i++)
		claims[2 + i] = (enum claim)(CLAIM_OLD_OPEN_DOMAIN + i);
	if (!gen_id(g, "query-xrc-rcv-old/%s", state_slug(state)) ||
	    !gen_says(g, ROW_QRY_XRC_RCV, gen_missing(g, claims), "%s",
		      rule(ROW_QRY_XRC_RCV)->text))
		return;
	for (int at = IBV_QPS_RESET; at < state; at++)
		mask |= gen_minimal(QK_XRC_RECV, at, at + 1);
	gen_value(&v, F_dest_qp_num, NULL, 0x123);
	gen_call(g, V_query_xrc_rcv_qp, NO_OBJ);
	gen_attributes(g, mask, IBV_QPS_RESET, state, &v);
	gen_done(g);
}

static void shared_life(struct gen *g)
{
	uint8_t other, third;

	if (!gen_id(g, "shared-life") ||
	    !gen_says(g, ROW_LIFE_SHARED_QP, gen_missing(g, xrc), "%s",
		      rule(ROW_LIFE_SHARED_QP)->text))
		return;
	gen_fixture(g, QK_XRC_RECV, IBV_QPS_INIT);
	other = open_qp(g, OPEN_ALL, g->xrcd);
	third = open_qp(g, OPEN_ALL, g->xrcd);
	gen_query(g, third);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_qp, other);
	gen_query(g, third);
	gen_step(g, third, IBV_QPS_INIT, IBV_QPS_RESET);
	gen_query(g, third);
	gen_call(g, V_destroy_qp, third);
	gen_call(g, V_close_xrcd, g->xrcd);
	gen_done(g);
}

void gen_create_xrc(struct gen *g)
{
	gen_prefix(g, "xrcd/");
	for (size_t i = 0; i < COUNT(domains); i++)
		domain(g, i);
	second(g, "create", ROW_OBJ_ACCEPT, O_CREAT, XRCD_FILE0);
	second(g, "without-creat", ROW_OBJ_ACCEPT, 0, XRCD_FILE0);
	second(g, "exclusive", ROW_XRCD_EXCL, O_CREAT | O_EXCL, XRCD_FILE0);
	second(g, "exclusive-without-creat", ROW_XRCD_EXCL, O_EXCL, XRCD_FILE0);
	second(g, "by-another-descriptor", ROW_OBJ_ACCEPT, 0, XRCD_FILE0_AGAIN);
	second(g, "exclusive-by-another-descriptor", ROW_XRCD_EXCL,
	       O_CREAT | O_EXCL, XRCD_FILE0_AGAIN);
	second(g, "other-file", ROW_OBJ_ACCEPT, O_CREAT | O_EXCL, XRCD_FILE1);
	second(g, "private", ROW_OBJ_ACCEPT, O_CREAT, XRCD_PRIVATE);
	after_close(g, true);
	after_close(g, false);
	for (int i = 0; i < 4; i++)
		made_again(g, i / 2, i % 2);
	exclusives(g);
	domain_masks(g);
	gen_prefix(g, "open/");
	for (int state = 0; state < STATE_NR; state++) {
		if (state != IBV_QPS_SQE)
			opened_state(g, state);
	}
	open_masks(g);
	open_targets(g);
	for (size_t i = 0; i < COUNT(two_domains); i++) {
		one_target(g, &two_domains[i], 0);
		one_target(g, &two_domains[i], 1);
		target_in_each(g, &two_domains[i]);
	}
	shared_life(g);
	query_opened(g);
	for (int state = IBV_QPS_RESET; state <= IBV_QPS_RTS; state++)
		query_old(g, state);
}
