// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The attributes that queries report: each was set by a granted modify that
 * none overwrote, no refused modify set one, and those of one modify change
 * together. Only attributes whose value devices keep exactly are looked at.
 */
#include "fire/checks.h"

static const enum field checked[] = {
	F_min_rnr_timer, F_timeout, F_retry_cnt,
	F_rnr_retry,	 F_qkey,    F_qp_access_flags,
};

#define REMOTE_ACCESS                                                          \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                    \
	 IBV_ACCESS_REMOTE_ATOMIC)

/* A device may report access rights besides those of the other end. */
static uint64_t value_in(const struct qp_attr_args *attr, enum field f)
{
	uint64_t value = field_get(f, attr);

	return f == F_qp_access_flags ? value & REMOTE_ACCESS : value;
}

static uint64_t value_seen(const struct fire_record *query, enum field f)
{
	return value_in(&query->o.out.qp_attr, f);
}

static bool sets(const struct fire_record *r, uint16_t qp, enum field f)
{
	return r->b.verb == V_modify_qp && r->b.on == qp &&
	       r->b.in.qp_attr.mask & 1u << field_attr(f);
}

static uint64_t value_set(const struct fire_record *r, enum field f)
{
	return value_in(&r->b.in.qp_attr, f);
}

/* Returns true if another granted modify has replaced what `r` set before the
 * query began. */
static bool is_overwritten(const struct fire_view *v,
			   const struct fire_record *r, enum field f,
			   const struct fire_record *query)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *by = &v->log->record[i];
		bool later = r->end ? fire_before(r, by) : by > r;

		if (later && sets(by, r->b.on, f) && fire_granted(by) &&
		    fire_before(by, query))
			return true;
	}
	return false;
}

/* Returns true if the query may see what the modify set. */
static bool may_show(const struct fire_view *v, const struct fire_record *r,
		     enum field f, const struct fire_record *query)
{
	return sets(r, query->b.on, f) && fire_granted(r) &&
	       !fire_before(query, r) && !is_overwritten(v, r, f, query);
}

/* Returns true if RESET, whose effect on attributes is not defined, may be
 * before the query. */
static bool was_reset(const struct fire_view *v,
		      const struct fire_record *query)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->end && !fire_before(query, r) &&
		    fire_moves(r, query->b.on, IBV_QPS_RESET))
			return true;
	}
	return false;
}

/* Returns true for a modify that names no state, after which values may be
 * undefined (choice/mask-without-state). */
static bool is_contested(const struct fire_record *r)
{
	return !(r->b.in.qp_attr.mask & IBV_QP_STATE);
}

/* Returns a modify that explains the value. *any says whether the query may
 * show what any modify set. */
static const struct fire_record *source_of(const struct fire_view *v,
					   const struct fire_record *query,
					   enum field f, bool *any)
{
	const struct fire_record *found = NULL;
	uint64_t seen = value_seen(query, f);

	*any = false;
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (!may_show(v, r, f, query))
			continue;
		*any = !is_contested(r);
		if (!*any)
			return NULL;
		if (value_set(r, f) == seen)
			found = r;
	}
	return found;
}

/* Returns a refused modify that asked for the value, or NULL. */
static const struct fire_record *refused_source(const struct fire_view *v,
						const struct fire_record *query,
						enum field f)
{
	uint64_t seen = value_seen(query, f);

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (sets(r, query->b.on, f) && !fire_granted(r) &&
		    !fire_before(query, r) && value_set(r, f) == seen)
			return r;
	}
	return NULL;
}

static bool check_value(const struct fire_view *v,
			const struct fire_record *query, enum field f,
			struct fire_said *said)
{
	const struct fire_record *refused;
	char name[FIRE_NAME_LEN], by[FIRE_NAME_LEN];
	bool any;

	if (source_of(v, query, f, &any) || !any)
		return false;
	refused = refused_source(v, query, f);
	if (refused)
		return fire_say(said, ROW_FIRE_REFUSED,
				"a refused modify changes nothing",
				"%s=%llu (%s), which was refused (%s)",
				field_info(f)->text,
				(unsigned long long)value_seen(query, f),
				fire_name(v, query, name),
				fire_name(v, refused, by));
	return fire_say(said, ROW_FIRE_ATTR,
			"a value that a granted modify set last",
			"%s=%llu (%s)", field_info(f)->text,
			(unsigned long long)value_seen(query, f),
			fire_name(v, query, name));
}

/* Returns true if each modify that explains the value of the field was before
 * `r`: the query shows the field from before it. */
static bool is_older(const struct fire_view *v, const struct fire_record *query,
		     enum field f, const struct fire_record *than)
{
	uint64_t seen = value_seen(query, f);

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];
		bool older =
			than->end && (r->end ? fire_before(r, than) : true);

		if (may_show(v, r, f, query) && value_set(r, f) == seen &&
		    !older)
			return false;
	}
	return true;
}

/* Returns true if only this modify explains the value of the field. */
static bool is_only_source(const struct fire_view *v,
			   const struct fire_record *query, enum field f,
			   const struct fire_record *of)
{
	uint64_t seen = value_seen(query, f);

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (may_show(v, r, f, query) &&
		    (value_set(r, f) == seen) != (r == of))
			return false;
	}
	return true;
}

static bool check_pair(const struct fire_view *v,
		       const struct fire_record *query,
		       const struct fire_record *modify, enum field set,
		       enum field old, struct fire_said *said)
{
	char name[FIRE_NAME_LEN], by[FIRE_NAME_LEN];

	if (!sets(modify, query->b.on, old) ||
	    value_set(modify, old) == value_seen(query, old) ||
	    !is_older(v, query, old, modify))
		return false;
	return fire_say(said, ROW_FIRE_MIXTURE,
			"all attributes from before a modify, or all from "
			"after it",
			"%s is from %s, and %s from before it (%s)",
			field_info(set)->text, fire_name(v, modify, by),
			field_info(old)->text, fire_name(v, query, name));
}

static bool check_mixture(const struct fire_view *v,
			  const struct fire_record *query, enum field f,
			  struct fire_said *said)
{
	bool any;
	const struct fire_record *modify = source_of(v, query, f, &any);

	if (!modify || !modify->end || !is_only_source(v, query, f, modify))
		return false;
	for (size_t i = 0; i < COUNT(checked); i++)
		if (checked[i] != f &&
		    query->b.in.qp_attr.mask & 1u << field_attr(checked[i]) &&
		    check_pair(v, query, modify, f, checked[i], said))
			return true;
	return false;
}

static bool check_query(const struct fire_view *v,
			const struct fire_record *query, struct fire_said *said)
{
	for (size_t i = 0; i < COUNT(checked); i++)
		if (query->b.in.qp_attr.mask & 1u << field_attr(checked[i]) &&
		    (check_value(v, query, checked[i], said) ||
		     check_mixture(v, query, checked[i], said)))
			return true;
	return false;
}

bool fire_check_attributes(const struct fire_view *v, struct fire_said *said)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.verb == V_query_qp && r->end && fire_granted(r) &&
		    !was_reset(v, r) && check_query(v, r, said))
			return true;
	}
	return false;
}
