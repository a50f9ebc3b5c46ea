/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Turns a call as written into the call to make: replaces symbols by numbers of
 * the device and object.field by outputs of earlier calls, fills the structure
 * of ibv_modify_qp as its mask says, and refuses calls whose behaviour would be
 * undefined.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "contract/opcodes.h"
#include "program/text.h"
#include "vendor/vendor.h"

struct binder {
	const struct program *p;
	const struct call *c;
	const struct device_info *d;
	const struct prog_results *r;
	char *err;
	size_t errlen;
};

static const char *name_of(const struct binder *b, unsigned int slot)
{
	return slot < b->p->nobjects ? b->p->object[slot].name : "?";
}

static int not_alive(const struct binder *b, const char *what,
		     unsigned int slot)
{
	snprintf(b->err, b->errlen, "%s: %s is %s, which is not alive",
		 verb_info((enum verb)b->c->verb)->name, what,
		 name_of(b, slot));
	return -EINVAL;
}

static int check_slot(const struct binder *b, const char *what,
		      unsigned int slot, enum object_kind kind)
{
	if (slot >= b->p->nobjects || !b->r->alive[slot])
		return not_alive(b, what, slot);
	if (b->p->object[slot].kind == kind)
		return 0;
	snprintf(b->err, b->errlen, "%s: %s is %s, which is no %s",
		 verb_info((enum verb)b->c->verb)->name, what, name_of(b, slot),
		 object_kind_name(kind));
	return -EINVAL;
}

static int check_on(const struct binder *b)
{
	const struct verb_info *info = verb_info((enum verb)b->c->verb);

	if (b->c->on != NO_OBJ)
		return check_slot(b, "its object", b->c->on, info->on);
	if (info->on == OBJ_NONE ||
	    (info->on == OBJ_CTX && b->c->verb != V_close_device))
		return 0;
	snprintf(b->err, b->errlen, "%s: its object is missing", info->name);
	return -EINVAL;
}

/* Returns where an output of a slot is stored. */
static int find_output(const struct binder *b, const struct value *v,
		       const char *what, const void **args)
{
	enum field f = (enum field)v->field;
	const struct outcome *o;
	enum verb verb;

	if (v->ref >= b->p->nobjects || !results_hold(b->r, v))
		return not_alive(b, what, v->ref);
	o = &b->r->of[v->ref];
	verb = (enum verb)b->r->verb[v->ref];
	if (!verb_writes(verb, f)) {
		snprintf(b->err, b->errlen, "%s: %s: %s has no output %s",
			 verb_info((enum verb)b->c->verb)->name, what,
			 name_of(b, v->ref), field_info(f)->text);
		return -EINVAL;
	}
	*args = &o->out;
	if (field_info(f)->family == verb_info(verb)->out2)
		*args = &o->out2;
	return 0;
}

static int out_of_range(const struct binder *b, enum field f)
{
	char text[256];
	struct text t;
	const struct setting *s =
		find_setting(b->p, b->c->first, b->c->nset, f);

	text_init(&t, text, sizeof(text));
	if (s)
		text_value(&t, b->p, f, &s->value);
	snprintf(b->err, b->errlen, "%s: %s=%s does not fit the field here",
		 verb_info((enum verb)b->c->verb)->name, field_info(f)->text,
		 text);
	return -ERANGE;
}

/* Adds a number to a base; the base of an FK_INT field is signed. Returns false
 * if the sum does not fit the field. */
static bool sum_fits(enum field f, uint64_t base, int64_t plus, uint64_t *sum)
{
	int64_t most = (int64_t)(field_max(f) / 2), total;

	*sum = base + (uint64_t)plus;
	if (field_info(f)->kind != FK_INT)
		return (plus < 0 ? *sum < base : *sum >= base) &&
		       *sum <= field_max(f);
	if (__builtin_add_overflow((int64_t)base, plus, &total))
		return false;
	return total <= most && total >= -most - 1;
}

static int put_sum(const struct binder *b, enum field f, uint64_t base,
		   int64_t plus, void *args)
{
	uint64_t sum;

	if (!sum_fits(f, base, plus, &sum))
		return out_of_range(b, f);
	field_set(f, args, sum);
	return 0;
}

/* Adds to the tag of a key, the lowest byte, which its owner may choose. */
static uint64_t key_by(uint64_t key, int64_t plus)
{
	return (key & ~UINT64_C(0xff)) | ((key + (uint64_t)plus) & 0xff);
}

static int put_output(const struct binder *b, const struct setting *s,
		      void *args)
{
	enum field f = (enum field)s->field, of = (enum field)s->value.field;
	const struct field_info *to = field_info(f), *from = field_info(of);
	const void *out = NULL;
	int err = find_output(b, &s->value, to->text, &out);

	if (err)
		return err;
	if (to->kind == FK_GID) {
		memcpy((char *)args + to->offset,
		       (const char *)out + from->offset, to->size);
		return 0;
	}
	if (is_rkey(of))
		return put_sum(b, f, key_by(field_get(of, out), s->value.num),
			       0, args);
	return put_sum(b, f, field_get(of, out), s->value.num, args);
}

static int put_gid(const struct binder *b, enum field f,
		   const union ibv_gid *gid, void *args)
{
	(void)b;
	memcpy((char *)args + field_info(f)->offset, gid, sizeof(*gid));
	return 0;
}

static int no_second(const struct binder *b)
{
	snprintf(b->err, b->errlen, "%s: there is no second device",
		 verb_info((enum verb)b->c->verb)->name);
	return -ENODEV;
}

static int put_my_gid(const struct binder *b, enum field f, uint8_t which,
		      void *args)
{
	const struct device_info *d = which ? b->d->second : b->d;
	const struct gid_entry *own;

	if (!d)
		return no_second(b);
	own = device_gid(d);
	if (own)
		return put_gid(b, f, &own->gid, args);
	snprintf(b->err, b->errlen, "%s: %s=%s: port %u has no GID %" PRIu32,
		 verb_info((enum verb)b->c->verb)->name, field_info(f)->text,
		 which ? "$second_gid" : "$gid", d->port_num, d->gid_index);
	return -EINVAL;
}

/* Returns true if a vendor's call made the region, which then is indirect: it
 * has no memory of its own. */
static bool is_indirect(const struct binder *b, unsigned int slot)
{
	return slot < b->p->nobjects && b->p->object[slot].kind == OBJ_MR &&
	       verb_is_vendors((enum verb)b->r->verb[slot]);
}

/* Returns true if the field may name an indirect region. */
static bool takes_indirect(enum field f)
{
	static const enum field fields[] = {
		F_send_mr, F_send_remote, F_send_odd_mr,  F_send_part_mr,
		F_recv_mr, F_recv_odd_mr, F_recv_part_mr,
	};

	for (size_t i = 0; i < COUNT(fields); i++)
		if (fields[i] == f)
			return true;
	return false;
}

/* Returns true if the field of a vendor's call has to name one. */
static bool needs_indirect(enum field f)
{
	const struct vendor_ops *v = vendor_of_field(f);

	return v && v->needs_indirect && v->needs_indirect(f);
}

static int check_region(const struct binder *b, const struct setting *s)
{
	enum field f = (enum field)s->field;
	bool indirect = is_indirect(b, s->value.ref);

	if (field_info(f)->names != OBJ_MR || takes_indirect(f) ||
	    indirect == needs_indirect(f))
		return 0;
	snprintf(b->err, b->errlen, "%s: %s is %s, which is %s region",
		 verb_info((enum verb)b->c->verb)->name, field_info(f)->text,
		 name_of(b, s->value.ref),
		 indirect ? "an indirect" : "no indirect");
	return -EINVAL;
}

static int put_object(const struct binder *b, const struct setting *s,
		      void *args)
{
	const struct field_info *info = field_info((enum field)s->field);
	int err = 0;

	if (s->value.ref != NO_OBJ)
		err = check_slot(b, info->text, s->value.ref,
				 (enum object_kind)info->names);
	if (!err && s->value.ref != NO_OBJ)
		err = check_region(b, s);
	if (!err)
		field_set((enum field)s->field, args, s->value.ref);
	return err;
}

static int put(const struct binder *b, const struct setting *s, void *args)
{
	const struct value *v = &s->value;
	enum field f = (enum field)s->field;

	switch ((enum value_kind)v->kind) {
	case VAL_NUM:
		field_set(f, args, (uint64_t)v->num);
		return 0;
	case VAL_LIMIT:
		return put_sum(b, f, b->d->limit[v->ref], v->num, args);
	case VAL_SYM:
		return put_sum(b, f, (uint64_t)symbol_value(v->ref, b->d),
			       v->num, args);
	case VAL_GID:
		return put_gid(b, f, &v->gid, args);
	case VAL_MYGID:
		return put_my_gid(b, f, v->ref, args);
	case VAL_OBJ:
		return put_object(b, s, args);
	case VAL_OUT:
		return put_output(b, s, args);
	}
	return -EINVAL;
}

static void put_defaults(enum family fam, void *args)
{
	for (unsigned int i = 0; i < family_count(fam); i++) {
		enum field f = (enum field)(family_first(fam) + i);

		if (field_default(f))
			field_set(f, args, field_default(f));
	}
}

static void copy_attr(enum field f, void *to, const void *from)
{
	const struct field_info *info = field_info(f);

	memcpy((char *)to + info->offset, (const char *)from + info->offset,
	       info->size);
}

/* Fills the structure with poison, then the attributes of the mask with the
 * values of a query or with zeros. */
static int fill_modify(const struct binder *b, struct qp_attr_args *in)
{
	static const struct qp_attr_args zero;
	uint32_t mask = (uint32_t)literal_of(b->p, b->c, F_mask);
	const struct qp_attr_args *from = &zero;
	int err;

	poison_fill(&in->attr, (uint32_t)literal_of(b->p, b->c, F_poison));
	if (b->c->from != NO_OBJ) {
		err = check_slot(b, "from", b->c->from, OBJ_QUERY);
		if (err)
			return err;
		from = &b->r->of[b->c->from].out.qp_attr;
	}
	for (unsigned int f = F_mask; f <= F_rate_limit; f++) {
		int bit = field_attr((enum field)f);

		if (bit >= 0 && (mask >> bit) & 1)
			copy_attr((enum field)f, in,
				  f == F_qp_state ? &zero : from);
	}
	return 0;
}

/* Returns true if a request has this operation. */
static bool any_has_opcode(const struct wr_args *in, uint32_t opcode)
{
	return in->opcode == opcode || (in->odd && in->odd_opcode == opcode);
}

/* Returns true if a request has an operation that only batches have. */
static bool any_is_batched(const struct wr_args *in)
{
	return opcode_is_batched(in->opcode) ||
	       (in->odd && opcode_is_batched(in->odd_opcode));
}

/* Returns true if the call waits for the lock that an open batch of its object
 * may hold. */
static bool waits_for_batch(enum verb verb)
{
	static const bool waits[VERB_NR] = {
		[V_wr_start] = true,	     [V_post_send] = true,
		[V_post_and_poll] = true,    [V_start_poll] = true,
		[V_poll_cq] = true,	     [V_resize_cq] = true,
		[V_destroy_cq] = true,	     [V_destroy_cq_waits] = true,
		[V_destroy_cq_heard] = true, [V_bind_mw] = true,
	};

	return waits[verb];
}

/* Returns true if the call waits for the lock of a completion queue of its
 * object: providers remove the object's completions from the queue. */
static bool waits_for_cq_batch(enum verb verb)
{
	static const bool waits[VERB_NR] = {
		[V_modify_qp] = true,	      [V_connect] = true,
		[V_destroy_qp] = true,	      [V_destroy_qp_waits] = true,
		[V_destroy_qp_polled] = true, [V_destroy_qp_heard] = true,
		[V_post_and_poll] = true,     [V_destroy_srq] = true,
		[V_destroy_srq_waits] = true, [V_destroy_wq] = true,
	};

	return waits[verb];
}

/* Refuses a batch inside a batch, and inline data by a flag. */
static int check_batch(const struct binder *b, const struct bound *bound)
{
	const char *what = NULL;

	if (waits_for_batch(bound->verb) && b->r->open[bound->on])
		what = "a batch of its object has been begun and not ended";
	else if (waits_for_cq_batch(bound->verb) &&
		 results_polled(b->r, bound->on))
		what = "a batch of its completion queue has been begun and "
		       "not ended";
	else if (bound->verb == V_wr &&
		 bound->in.wr.send_flags & IBV_SEND_INLINE)
		what = "inline data is asked for by setter=INLINE, not by a "
		       "flag";
	else if ((bound->verb == V_post_send &&
		  any_is_batched(&bound->in.wr)) ||
		 (bound->verb == V_post_and_poll &&
		  opcode_is_batched(bound->in.race.opcode)))
		what = "FLUSH and ATOMIC_WRITE are built by wr alone";
	else if (verb_builds_raw(bound->verb))
		what = request_not_raw(&bound->in.wr);
	if (!what)
		return 0;
	snprintf(b->err, b->errlen, "%s: %s", verb_info(bound->verb)->name,
		 what);
	return -EINVAL;
}

/* Refuses to bind without a window or region: a provider reads their
 * structures. */
static int check_window(const struct binder *b, const struct bound *bound)
{
	const struct wr_args *in = &bound->in.wr;
	bool binds = bound->verb == V_bind_mw, odd = false;

	if (bound->verb == V_post_send || bound->verb == V_wr) {
		binds = in->opcode == IBV_WR_BIND_MW;
		odd = !binds && any_has_opcode(in, IBV_WR_BIND_MW);
	}
	if (odd) {
		snprintf(b->err, b->errlen,
			 "%s: the odd request alone binds no window",
			 verb_info(bound->verb)->name);
		return -EINVAL;
	}
	if (binds && in->mw == NO_OBJ) {
		snprintf(b->err, b->errlen,
			 "%s: mw= names no memory window to bind",
			 verb_info(bound->verb)->name);
		return -EINVAL;
	}
	if (!binds || bound->verb == V_bind_mw || !in->bind_length ||
	    in->bind_mr != NO_OBJ)
		return 0;
	snprintf(b->err, b->errlen,
		 "%s: bind.mr= names no memory region for bind.length=",
		 verb_info(bound->verb)->name);
	return -EINVAL;
}

static bool copies_inline(const struct bound *bound)
{
	const struct wr_args *in = &bound->in.wr;

	if (bound->verb == V_wr)
		return in->setter == SET_INLINE ||
		       in->setter == SET_INLINE_LIST;
	return (bound->verb == V_post_send || verb_builds_raw(bound->verb)) &&
	       (in->send_flags | in->odd_flags) & IBV_SEND_INLINE;
}

/* Returns true if a vendor's call names no region where it needs an indirect
 * one. Calls of verbs are not looked at: they need none. */
static bool lacks_indirect(const struct bound *bound)
{
	const enum family in = verb_info(bound->verb)->in;

	if (!verb_is_vendors(bound->verb))
		return false;
	for (unsigned int i = 0; i < family_count(in); i++) {
		enum field f = (enum field)(family_first(in) + i);

		if (needs_indirect(f) && field_get(f, &bound->in) == NO_OBJ)
			return true;
	}
	return false;
}

/* Refuses calls of an indirect region that only a region with memory of its own
 * has, inline data from one, and a vendor's call without the one that it
 * needs. */
static int check_indirect(const struct binder *b, const struct bound *bound)
{
	const struct verb_info *info = verb_info(bound->verb);
	const struct wr_args *in = &bound->in.wr;
	const char *what = NULL;

	if (info->on == OBJ_MR &&
	    is_indirect(b, bound->on) != verb_is_vendors(bound->verb))
		what = "a call for a region of another kind";
	else if (copies_inline(bound) &&
		 (is_indirect(b, in->mr) || is_indirect(b, in->odd_mr) ||
		  is_indirect(b, in->part_mr)))
		what = "inline data from an indirect region";
	else if (lacks_indirect(bound))
		what = "without an indirect region";
	if (!what)
		return 0;
	snprintf(b->err, b->errlen, "%s: %s", info->name, what);
	return -EINVAL;
}

/* Refuses a number that names none of the files. */
static int check_file(const struct binder *b, const struct bound *bound)
{
	if (bound->verb != V_open_xrcd || bound->in.xrcd.fd <= XRCD_FILE0_AGAIN)
		return 0;
	snprintf(b->err, b->errlen, "%s: fd= names no file",
		 verb_info(bound->verb)->name);
	return -EINVAL;
}

/* Refuses TSO without a segment size. */
static int check_segments(const struct binder *b, const struct bound *bound)
{
	bool sends = bound->verb == V_post_send || bound->verb == V_wr;

	if (!sends || !any_has_opcode(&bound->in.wr, IBV_WR_TSO) ||
	    bound->in.wr.tso_mss)
		return 0;
	snprintf(b->err, b->errlen,
		 "%s: TSO without tso.mss=", verb_info(bound->verb)->name);
	return -EINVAL;
}

/* Refuses to stop or kill ibvet's own process. An agent knows one device, which
 * is the caller's second one. */
static int check_process(const struct binder *b, const struct bound *bound)
{
	if (bound->verb != V_stop_process && bound->verb != V_kill_process)
		return 0;
	if (b->d->can_stop && (!b->d->second || results_far(b->r, bound)))
		return 0;
	snprintf(b->err, b->errlen,
		 "%s: the device is not one of another process (--peer)",
		 verb_info(bound->verb)->name);
	return -ECHILD;
}

/* Refuses calls that need a second device, or a way to change the link. */
static int check_link(const struct binder *b, const struct bound *bound)
{
	if (bound->verb == V_open_device &&
	    bound->in.open.device == DEVICE_SECOND && !b->d->second)
		return no_second(b);
	if (bound->verb != V_link || b->d->can_link)
		return 0;
	snprintf(b->err, b->errlen, "link: no command to do that with");
	return -EOPNOTSUPP;
}

/* With the devices on two hosts, decides on which one the call is made. */
static int check_host(const struct binder *b, struct bound *bound)
{
	if (!b->d->apart)
		return 0;
	bound->far = bound->verb == V_open_device
			     ? bound->in.open.device == DEVICE_SECOND
			     : results_far(b->r, bound);
	if (!results_torn(b->r, bound))
		return 0;
	snprintf(b->err, b->errlen,
		 "%s: names objects of both devices, which are on two hosts",
		 verb_info(bound->verb)->name);
	return -EXDEV;
}

/* Refuses lists that are too long: their length may depend on what the device
 * granted. */
static int check_list(const struct binder *b, const struct bound *bound)
{
	const struct wr_args *in = &bound->in.wr;

	if (!verb_takes_requests(bound->verb) && !verb_builds(bound->verb))
		return 0;
	if (in->more < POST_MAX_LIST && in->num_sge <= POST_MAX_SGE &&
	    in->odd_num_sge <= POST_MAX_SGE)
		return 0;
	snprintf(b->err, b->errlen,
		 "%s: a list of more than %d requests, or of more than %d "
		 "elements each",
		 verb_info(bound->verb)->name, POST_MAX_LIST, POST_MAX_SGE);
	return -E2BIG;
}

/* Refuses to make an address of a completion that no poll has returned. */
static int check_completion(const struct binder *b, const struct bound *bound)
{
	const struct ah_from_args *in = &bound->in.ah_from;
	uint16_t slot = in->completion;

	if (verb_info(bound->verb)->in != FAM_AH_FROM ||
	    (slot < PROG_MAX_OBJECTS && b->r->alive[slot] &&
	     in->wc < b->r->of[slot].out.polled.count))
		return 0;
	snprintf(b->err, b->errlen,
		 "%s: there is no completion; name a poll, and one of those "
		 "that it brought",
		 verb_info(bound->verb)->name);
	return -EINVAL;
}

int prog_bind(const struct program *p, const struct call *c,
	      const struct device_info *d, const struct prog_results *r,
	      struct bound *b, char *err, size_t errlen)
{
	struct binder binder = {p, c, d, r, err, errlen};
	int ret;

	memset(b, 0, sizeof(*b));
	b->verb = (enum verb)c->verb;
	b->result = c->result;
	b->on = c->on;
	put_defaults(verb_info(b->verb)->in, &b->in);
	ret = check_on(&binder);
	if (!ret && c->verb == V_modify_qp)
		ret = fill_modify(&binder, &b->in.qp_attr);
	for (unsigned int i = 0; i < c->nset && !ret; i++)
		ret = put(&binder, &p->setting[c->first + i], &b->in);
	if (!ret && (verb_takes_requests(b->verb) || verb_builds(b->verb)))
		request_likeness(p, c, &b->in.wr);
	if (!ret)
		ret = check_batch(&binder, b);
	if (!ret)
		ret = check_completion(&binder, b);
	if (!ret)
		ret = check_window(&binder, b);
	if (!ret)
		ret = check_segments(&binder, b);
	if (!ret)
		ret = check_indirect(&binder, b);
	if (!ret)
		ret = check_file(&binder, b);
	if (!ret)
		ret = check_link(&binder, b);
	if (!ret)
		ret = check_process(&binder, b);
	if (!ret)
		ret = check_host(&binder, b);
	return ret ? ret : check_list(&binder, b);
}

int prog_bind_setting(const struct program *p, const struct call *c,
		      const struct setting *s, const struct device_info *d,
		      const struct prog_results *r, void *args, char *err,
		      size_t errlen)
{
	struct binder binder = {p, c, d, r, err, errlen};

	return put(&binder, s, args);
}
