// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive queue pairs of XRC as OFED had them before ibv_open_qp: a number in a
 * domain, and no object. No header declares the calls today, so they are looked
 * up by name.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include "target/verbs/verbs_target.h"

struct ibv_xrc_domain;

/* struct ibv_qp_init_attr as it was; nothing but the domain is read. */
struct old_init {
	struct ibv_qp_init_attr attr;
	struct ibv_xrc_domain *domain;
};

struct old_calls {
	struct ibv_xrc_domain *(*open_domain)(struct ibv_context *context,
					      int fd, int oflag);
	int (*create)(struct old_init *init, uint32_t *number);
	int (*modify)(struct ibv_xrc_domain *domain, uint32_t number,
		      struct ibv_qp_attr *attr, int mask);
	int (*query)(struct ibv_xrc_domain *domain, uint32_t number,
		     struct ibv_qp_attr *attr, int mask, struct old_init *init);
	int (*unreg)(struct ibv_xrc_domain *domain, uint32_t number);
	int (*close_domain)(struct ibv_xrc_domain *domain);
};

static const char *const symbols[OLD_NR] = {
#define OLD_CALL(id, symbol) [OLD_##id] = symbol,
#include "contract/tables/old_calls.def"
};

_Static_assert(sizeof(struct old_calls) == OLD_NR * sizeof(void *),
	       "a symbol for each");

/* Looks the calls up in the order of the table. Returns a bit for each that
 * the library has. */
static uint32_t look_up(struct old_calls *calls)
{
	void *found[OLD_NR];
	uint32_t bits = 0;

	for (int i = 0; i < OLD_NR; i++) {
		found[i] = dlsym(RTLD_DEFAULT, symbols[i]);
		bits |= (found[i] ? 1u : 0u) << i;
	}
	memcpy(calls, found, sizeof(*calls));
	return bits;
}

uint32_t verbs_old_calls(void)
{
	struct old_calls calls;

	return look_up(&calls);
}

/* The calls return 0, an errno value, its negative, or -1 and set errno. */
static int error_of(int ret)
{
	return ret == -1 ? errno : ret < 0 ? -ret : ret;
}

/* Brings the queue pair to the state in `with`, with the attributes that each
 * transition requires. */
static int bring_up(const struct old_calls *calls,
		    struct ibv_xrc_domain *domain, uint32_t number,
		    const struct ibv_qp_attr *with)
{
	int ret = 0;

	for (int at = IBV_QPS_RESET; !ret && at < (int)with->qp_state; at++) {
		const struct cell *cell =
			&qp_table()->cell[at][at + 1][QK_XRC_RECV];
		struct ibv_qp_attr attr = *with;

		attr.qp_state = (enum ibv_qp_state)(at + 1);
		ret = error_of(calls->modify(domain, number, &attr,
					     (int)(cell->required | A_STATE)));
	}
	return ret;
}

static int query_in(const struct old_calls *calls,
		    struct ibv_xrc_domain *domain,
		    const struct qp_attr_args *in, struct ibv_qp_attr *attr)
{
	struct old_init init = {.domain = domain};
	struct ibv_qp_attr again;
	uint32_t number;
	int ret, gone;

	ret = error_of(calls->create(&init, &number));
	if (ret)
		return ret;
	ret = bring_up(calls, domain, number, &in->attr);
	if (!ret)
		ret = error_of(calls->query(domain, number, attr, (int)in->mask,
					    &init));
	gone = error_of(calls->unreg(domain, number));
	if (!ret)
		ret = gone;
	if (!ret && !calls->query(domain, number, &again, A_STATE, &init))
		ret = OLD_STILL_THERE;
	return ret;
}

void real_query_xrc_rcv_qp(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	const struct qp_attr_args *in = &b->in.qp_attr;
	struct ibv_xrc_domain *domain;
	struct old_calls calls;
	int gone;

	o->err = ERRNO_POISON;
	o->ret = EOPNOTSUPP;
	if (look_up(&calls) != OLD_ALL)
		return;
	o->ret = EINVAL;
	if (in->attr.qp_state > IBV_QPS_RTS)
		return;
	domain = calls.open_domain(slot_context(t, b->on), -1, O_CREAT);
	o->ret = errno;
	if (!domain)
		return;
	o->ret = query_in(&calls, domain, in, &o->out.qp_attr.attr);
	gone = error_of(calls.close_domain(domain));
	if (!o->ret)
		o->ret = gone;
}
