// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides whether a request may touch the memory that it names. A device looks
 * up the key, then checks the protection domain, the range and the rights.
 */
#include "model/internal.h"

static bool is_mr(const struct model *m, uint16_t slot)
{
	return slot < m->top && m->object[slot].alive &&
	       m->object[slot].kind == OBJ_MR && !m->object[slot].mr.invalid;
}

/* Returns true if the slot holds a live region with this key on the device of
 * `user`. */
static bool has_key(const struct model *m, uint16_t slot, uint32_t key,
		    bool remote, uint16_t user)
{
	const struct object *o = &m->object[slot];

	return is_mr(m, slot) && o->device == m->object[user].device &&
	       key == (remote ? o->mr.rkey : o->mr.lkey);
}

/* Returns the region with this key, or NO_OBJ. */
static uint16_t find_named(const struct model *m, uint32_t key, bool remote,
			   uint16_t user)
{
	enum index_by by = remote ? BY_RKEY : BY_LKEY;
	uint16_t i = key ? index_first(m, by, key) : NO_OBJ;

	while (i != NO_OBJ && !has_key(m, i, key, remote, user))
		i = index_next(m, by, i);
	return i;
}

/* Returns true for a null region, which gives no remote access but by a seeded
 * fault. */
static bool is_hidden(const struct model *m, uint16_t mr)
{
	return m->object[mr].mr.null &&
	       !mutant_has_quirk(m->mutant, QUIRK_NULL_EXPOSED);
}

/* Returns the region with this key, or NO_OBJ. Key 0 stands for the key of
 * region `mr`, which is also tried first. */
static uint16_t find_key(const struct model *m, uint32_t key, bool remote,
			 uint16_t mr, uint16_t user)
{
	if (!key)
		return is_mr(m, mr) && !(remote && is_hidden(m, mr)) ? mr
								     : NO_OBJ;
	return has_key(m, mr, key, remote, user)
		       ? mr
		       : find_named(m, key, remote, user);
}

uint16_t access_key(const struct model *m, uint16_t user, uint32_t key,
		    uint16_t mr)
{
	return find_key(m, key, false, mr, user);
}

bool region_has_key(const struct model *m, const struct model_wr *w,
		    uint16_t user)
{
	return w->rkey && has_key(m, w->remote, w->rkey, true, user);
}

uint16_t region_of_key(const struct model *m, uint32_t key, bool remote,
		       uint16_t user)
{
	return find_named(m, key, remote, user);
}

/* Returns the address of the region in a slot. Only seeded faults and
 * F_keys_top ask for it. */
uint64_t region_address(uint16_t slot)
{
	return UINT64_C(0x7f0000000000) + ((uint64_t)slot << 32);
}

/* A seeded fault: the end of a range is computed in 64 bits. */
bool region_wraps(const struct model *m, struct place at, uint64_t length)
{
	uint64_t from = region_address(at.mr) + at.offset;

	return from >= region_address(at.mr) && from + length < from &&
	       from + length <=
		       region_address(at.mr) + m->object[at.mr].mr.length;
}

static bool takes_wraps(const struct model *m, uint32_t right)
{
	if (right == IBV_ACCESS_REMOTE_READ)
		return mutant_has_quirk(m->mutant, QUIRK_WRAP_READ);
	return !(right & ~(uint32_t)IBV_ACCESS_LOCAL_WRITE) &&
	       mutant_has_quirk(m->mutant, QUIRK_WRAP_LOCAL);
}

static bool within(const struct model_mr *mr, uint64_t offset, uint64_t length)
{
	return offset <= mr->length && length <= mr->length - offset;
}

/* Returns true if the pages can be touched; those of an on-demand region may
 * turn out not to exist. */
static bool is_there(const struct model *m, struct place at, uint64_t length,
		     bool writes)
{
	return !(m->object[at.mr].mr.access & IBV_ACCESS_ON_DEMAND) ||
	       !m->memory || !m->memory->is_present ||
	       m->memory->is_present(m->memory->arg, at, length, writes);
}

static enum access access_one(const struct model *m, uint16_t user,
			      const struct elements *e, bool writes);

/* Returns true if a seeded fault looks for the bytes at the address of the
 * region's memory: no IOVA is within. */
static bool ignores_iova(const struct model *m, const struct model_mr *mr)
{
	enum row row = mr->from_zero ? ROW_DATA_ZERO_BASED : ROW_DATA_IOVA;

	return mr->at_address ||
	       (mr->at_iova && mutant_skips(m->mutant, row)) ||
	       (mr->of_dmabuf && mutant_skips(m->mutant, ROW_DATA_DMABUF));
}

/* Checks the bytes below an indirect region, piece by piece. The regions below
 * need no right of remote access. */
static enum access access_below(const struct model *m, uint16_t user,
				struct place at, uint64_t length, bool writes)
{
	enum access access = ACCESS_FINE;

	while (length && access == ACCESS_FINE) {
		struct elements one = indirect_element(m, at, length);

		if (!one.length)
			return ACCESS_RANGE;
		access = access_one(m, user, &one, writes);
		at.offset += one.length;
		length -= one.length;
	}
	return access;
}

/* Seeded fault: returns true if a region was made through a parent domain with
 * a thread domain, and its user was not. */
static bool is_apart(const struct model *m, uint16_t user, uint16_t mr)
{
	const struct object *by = &m->object[user], *o = &m->object[mr];
	uint16_t pd;
	bool td = false;

	if (!mutant_has_quirk(m->mutant, QUIRK_PARENT_APART) ||
	    o->kind != OBJ_MR || !o->nparents ||
	    m->object[o->parent[0]].kind != OBJ_PD)
		return false;
	pd = o->parent[0];
	for (int i = 0; i < m->object[pd].nparents; i++)
		td |= m->object[m->object[pd].parent[i]].kind == OBJ_TD;
	for (int i = 0; i < by->nparents; i++)
		if (by->parent[i] == pd)
			return false;
	return td;
}

/* Checks bytes of a region whose key has been looked up. */
static enum access access_region(const struct model *m, uint16_t user,
				 struct place at, uint64_t length,
				 uint32_t right)
{
	const struct model_mr *mr = &m->object[at.mr].mr;
	bool writes = right & ~(uint32_t)IBV_ACCESS_REMOTE_READ;

	if (mr->indirect && (!mr->layout.set || mr->layout.barred))
		return ACCESS_KEY;
	if (pd_of(m, at.mr) != pd_of(m, user) || is_apart(m, user, at.mr))
		return ACCESS_PD;
	if (ignores_iova(m, mr) ||
	    (!within(mr, at.offset, length) &&
	     !(takes_wraps(m, right) && region_wraps(m, at, length))))
		return ACCESS_RANGE;
	if ((mr->access & right) != right)
		return ACCESS_RIGHT;
	if (writes && region_is_read_only(m, at, length))
		return ACCESS_RIGHT;
	if (mr->indirect) {
		convert_range(m, &at, &length);
		return access_below(m, user, at, length, writes);
	}
	return is_there(m, at, length, writes) ? ACCESS_FINE : ACCESS_RANGE;
}

/* Checks bytes at a place under a key that leads to region `mr`. If the place
 * is in another region of the domain, the bytes are out of range. */
static enum access access_keyed(const struct model *m, uint16_t user,
				uint16_t mr, struct place at, uint64_t length,
				uint32_t right)
{
	if (mr == NO_OBJ)
		return ACCESS_KEY;
	if (mr != at.mr && pd_of(m, mr) == pd_of(m, user))
		return ACCESS_RANGE;
	at.mr = mr;
	return access_region(m, user, at, length, right);
}

/* Checks the parts of the elements that a ring holds, up to `e->length` bytes.
 */
static enum access access_parts(const struct model *m, uint16_t user,
				const struct elements *e, uint32_t right)
{
	const struct place of = {e->offset, e->mr};
	enum access access = ACCESS_FINE;
	uint64_t reached = 0;
	struct part part;

	for (unsigned int n = 0; access == ACCESS_FINE && reached < e->length &&
				 m->memory->part(m->memory->arg, of, n, &part);
	     n++) {
		uint64_t left = e->length - reached;

		reached += part.length;
		if (part.own || !part.length)
			continue;
		if (left > part.length)
			left = part.length;
		access = part.at.mr == NO_OBJ
				 ? ACCESS_KEY
				 : access_region(m, user, part.at, left, right);
	}
	return access;
}

static enum access access_one(const struct model *m, uint16_t user,
			      const struct elements *e, bool writes)
{
	uint32_t right = writes ? IBV_ACCESS_LOCAL_WRITE : 0;

	if (!e->length)
		return ACCESS_FINE;
	if (memory_is_parts(e->mr))
		return access_parts(m, user, e, right);
	return access_keyed(m, user, find_key(m, e->key, false, e->mr, user),
			    (struct place){e->offset, e->mr}, e->length, right);
}

/* Returns what is wrong with the first element that has a fault. */
enum access access_local(const struct model *m, uint16_t user,
			 const struct elements *e, bool writes)
{
	enum access access = ACCESS_FINE;

	if (e->n == 1 && !e->part.at)
		return access_one(m, user, e, writes);
	for (uint32_t i = 0; i < e->n && access == ACCESS_FINE; i++) {
		const struct elements one = element_at(e, i);

		access = access_one(m, user, &one, writes);
	}
	return access;
}

enum access access_remote(const struct model *m, uint16_t peer,
			  const struct model_wr *w, uint64_t length,
			  uint32_t right)
{
	if (!length)
		return ACCESS_FINE;
	return access_keyed(m, peer,
			    find_key(m, w->rkey, true, w->remote, peer),
			    (struct place){w->remote_offset, w->remote}, length,
			    right);
}
