// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands that are changed on their way from the library to the kernel. A call
 * whose command was changed may be refused, without effect; what the kernel had
 * to answer to the change is told and judged afterwards.
 */
#include <errno.h>
#include <string.h>
#include "contract/commands.h"
#include "program/repro/parts/command.h"
#include "model/internal.h"

void do_change_command(struct step *s)
{
	enum out effect;

	if (!s->d->can_change) {
		answer_refuse(s, ROW_OBJ_UNSUPPORTED,
			      choose_for_row(s, ROW_OBJ_UNSUPPORTED, &effect));
		return;
	}
	s->m->change = s->b->in.change;
	s->m->changes_next = true;
	answer_accept(s, ROW_NONE);
}

static bool keeps_command(uint32_t how)
{
	return how == CHANGE_KEEP || how == CHANGE_KEEP_HANDLE;
}

bool change_is_harmless(uint32_t how)
{
	return how == CHANGE_ADD_OPTIONAL || how == CHANGE_WRITE ||
	       how == CHANGE_NOTE || keeps_command(how);
}

/* Another thread sends a command, too. */
static bool has_rival(uint32_t how)
{
	return how == CHANGE_MEANWHILE || how == CHANGE_TWICE;
}

/* A change by which the library may not get the kernel's answer */
static bool cuts_answer(uint32_t how)
{
	return how == CHANGE_LENGTH || how == CHANGE_POINTER ||
	       how == CHANGE_DROP;
}

/* Returns the object whose handle is the value, or NO_OBJ. */
static uint16_t named_object(const struct change_args *in)
{
	if (in->pd != NO_OBJ)
		return in->pd;
	return in->cq != NO_OBJ ? in->cq : in->srq;
}

static void keep_objects(struct step *s)
{
	const bool table = s->b->verb == V_create_rwq_ind_table;
	uint16_t *about = s->m->kept_about;

	about[0] = about[1] = about[2] = NO_OBJ;
	if (!s->seen->changed.made)
		return;
	about[0] = s->b->on;
	about[1] = named_object(&s->m->change);
	about[2] = table ? s->b->in.ind.wq[0] : NO_OBJ;
}

static bool is_about_kept(const struct step *s)
{
	const uint16_t *about = s->m->kept_about;

	for (int i = 0; i < 3; i++)
		if (about[i] != NO_OBJ && about[i] == s->b->on)
			return true;
	return false;
}

/* A handle is noted while its object is destroyed; a new object may get it. */
static void follow_handle(struct step *s, bool changed)
{
	const bool gone = !s->seen_error && verb_destroys(s->b->verb);

	if (changed && has_rival(s->m->change.how))
		s->m->meanwhile_gone =
			gone &&
			(s->m->change.how == CHANGE_TWICE || is_about_kept(s));
	if (changed && keeps_command(s->m->change.how))
		keep_objects(s);
	if (s->seen_error)
		return;
	if (changed && s->m->change.how == CHANGE_NOTE)
		s->m->noted_gone = verb_destroys(s->b->verb);
	else if (verb_info(s->b->verb)->makes != OBJ_NONE)
		s->m->noted_gone = false;
}

void command_cut_answer(struct step *s)
{
	if (!s->m->answer_cut)
		return;
	memset(&s->a->defined, 0, sizeof(s->a->defined));
	memset(&s->a->defined2, 0, sizeof(s->a->defined2));
}

/* --- The answer of the kernel ------------------------------------------------
 */

/* An attribute's bytes end before the structure that the method takes, or
 * behind it. */
static enum row row_of_bytes(const struct attr_spec *a, uint64_t length,
			     bool zeros)
{
	if (!a->max || length <= a->max)
		return ROW_COMMAND_FREE;
	if (!a->grows)
		return ROW_COMMAND_ATTR_LONG;
	if (a->kind != ATTR_IN || zeros)
		return ROW_COMMAND_ZERO_TAIL;
	return ROW_COMMAND_TAIL;
}

/* The request or response of a legacy command. */
static enum row row_of_legacy_bytes(const struct legacy_spec *m, uint32_t id,
				    uint64_t length, bool zeros)
{
	if (id == UVERBS_ATTR_CORE_OUT)
		return length < m->response ? ROW_COMMAND_RESPONSE_SHORT
					    : ROW_COMMAND_ZERO_TAIL;
	if (length < m->request)
		return ROW_COMMAND_REQUEST_SHORT;
	if (length <= m->known)
		return ROW_COMMAND_FREE;
	return zeros ? ROW_COMMAND_ZERO_TAIL : ROW_COMMAND_TAIL;
}

/* The driver reads and writes its own data as it likes. */
static bool is_drivers(const struct change_args *in)
{
	return in->attr == UVERBS_ATTR_UHW_IN ||
	       in->attr == UVERBS_ATTR_UHW_OUT;
}

static enum row row_of_length(const struct change_args *in,
			      const struct changed_args *seen,
			      const struct attr_spec *a)
{
	const struct legacy_spec *legacy =
		seen->legacy ? legacy_spec_of(seen->legacy) : NULL;
	const bool zeros = in->how != CHANGE_TAIL;
	const uint64_t length =
		in->how == CHANGE_LENGTH ? in->value : seen->length + in->value;

	if (is_drivers(in))
		return ROW_COMMAND_FREE;
	if (a->kind == ATTR_NEW || a->kind == ATTR_OBJ || a->kind == ATTR_FD)
		return ROW_COMMAND_HANDLE_LENGTH;
	if (length < a->min)
		return ROW_COMMAND_ATTR_SHORT;
	if (legacy && in->attr != UVERBS_ATTR_WRITE_CMD)
		return row_of_legacy_bytes(legacy, in->attr, length, zeros);
	return row_of_bytes(a, length, zeros);
}

/* A file has few objects, and their handles begin at 0. */
#define HANDLE_PAST UINT64_C(0x1000000)

/* Objects of the file, whose handles the model does not know: events, and what
 * the library makes for itself. */
#define HANDLES_BESIDE 8

/* Returns true for the handle of a protection domain that another file has, if
 * the objects of the run's own file are too few for such a number. */
static bool is_of_other_file(const struct step *s, uint64_t handle)
{
	const struct model *m = s->m;
	const uint16_t pd = m->change.pd;
	uint64_t own = HANDLES_BESIDE;

	if (pd == NO_OBJ || m->object[pd].ctx == NO_OBJ)
		return false;
	for (int i = 0; i < m->top; i++)
		own += m->object[i].alive && m->object[i].ctx == NO_OBJ;
	return handle > own;
}

/* Returns true if the value is the handle of an object of the program. */
static bool names_object(const struct change_args *in)
{
	return named_object(in) != NO_OBJ;
}

static uint16_t sort_named(const struct change_args *in)
{
	if (in->pd != NO_OBJ)
		return UVERBS_OBJECT_PD;
	return in->cq != NO_OBJ ? UVERBS_OBJECT_CQ : UVERBS_OBJECT_SRQ;
}

static enum row row_of_handle(const struct step *s,
			      const struct changed_args *seen,
			      const struct attr_spec *a)
{
	const struct change_args *in = &s->m->change;

	if (in->how == CHANGE_NOTED)
		return a->kind == ATTR_OBJ && s->m->noted_gone
			       ? ROW_COMMAND_HANDLE
			       : ROW_COMMAND_FREE;
	if (a->kind == ATTR_OBJ && is_of_other_file(s, seen->handle))
		return ROW_COMMAND_HANDLE;
	if (a->kind == ATTR_FD)
		return ROW_COMMAND_DESCRIPTOR;
	if (a->kind != ATTR_OBJ)
		return ROW_COMMAND_FREE;
	if (names_object(in))
		return a->sort == sort_named(in) ? ROW_COMMAND_FREE
						 : ROW_COMMAND_HANDLE_TYPE;
	if (in->value >> 63)
		return ROW_COMMAND_HANDLE_NEGATIVE;
	return in->value < HANDLE_PAST ? ROW_COMMAND_FREE : ROW_COMMAND_HANDLE;
}

/* Pages that cannot be written can be read. */
static enum row row_of_pointer(const struct change_args *in,
			       const struct attr_spec *a)
{
	const bool readable = in->value >= POINTER_READ_ONLY;

	return is_drivers(in) || (readable && a->kind != ATTR_OUT)
		       ? ROW_COMMAND_FREE
		       : ROW_COMMAND_POINTER;
}

static enum row row_of_word(const struct step *s,
			    const struct changed_args *seen)
{
	const struct change_args *in = &s->m->change;
	const struct request_field *f =
		request_field_at(seen->legacy, in->offset);

	if (!f || in->attr != UVERBS_ATTR_CORE_IN)
		return ROW_COMMAND_FREE;
	if (in->how == CHANGE_NOTED_WORD)
		return f->sort && s->m->noted_gone ? ROW_COMMAND_REQUEST_HANDLE
						   : ROW_COMMAND_FREE;
	if (!f->sort)
		return in->value == f->illegal ? ROW_COMMAND_FIELD
					       : ROW_COMMAND_FREE;
	if (names_object(in))
		return f->sort == sort_named(in) ? ROW_COMMAND_FREE
						 : ROW_COMMAND_REQUEST_HANDLE;
	return in->value < HANDLE_PAST ? ROW_COMMAND_FREE
				       : ROW_COMMAND_REQUEST_HANDLE;
}

/* Flags that an object may have: bit 31 is none of them. */
static enum row row_of_flags(const struct change_args *in,
			     const struct attr_spec *a)
{
	return a->flags && in->value & 1u << 31 ? ROW_COMMAND_FLAGS
						: ROW_COMMAND_FREE;
}

static enum row row_of_attr(const struct step *s,
			    const struct changed_args *seen,
			    const struct attr_spec *a)
{
	const struct change_args *in = &s->m->change;

	switch (in->how) {
	case CHANGE_DROP:
		return a->optional ? ROW_COMMAND_FREE : ROW_COMMAND_MISSING;
	case CHANGE_DOUBLE:
		return ROW_COMMAND_DOUBLED;
	case CHANGE_ATTR_RESERVED:
		return ROW_COMMAND_ATTR_RESERVED;
	case CHANGE_POINTER:
		return row_of_pointer(in, a);
	case CHANGE_HANDLE:
	case CHANGE_NOTED:
		return row_of_handle(s, seen, a);
	case CHANGE_WORD:
	case CHANGE_NOTED_WORD:
		return row_of_word(s, seen);
	case CHANGE_ADD:
		return row_of_flags(in, a);
	default:
		return row_of_length(in, seen, a);
	}
}

#define KNOWN_COMMANDS                                                         \
	((uint32_t)(IB_USER_VERBS_CMD_COMMAND_MASK |                           \
		    IB_USER_VERBS_CMD_FLAG_EXTENDED))

#define PAST_COMMANDS 0x80 /* past the numbers of legacy commands */

static bool is_extended(const struct changed_args *seen)
{
	return seen->legacy & IB_USER_VERBS_CMD_FLAG_EXTENDED;
}

/* An extended command may leave out the room, but not if it points to it. */
static enum row row_of_room(const struct change_args *in,
			    const struct changed_args *seen)
{
	const struct legacy_spec *m = legacy_spec_of(seen->legacy);

	if (!m || in->value * (is_extended(seen) ? 8 : 4) >= m->response)
		return ROW_COMMAND_FREE;
	return ROW_COMMAND_WRITE_SHORT;
}

static enum row row_of_count(const struct change_args *in,
			     const struct changed_args *seen)
{
	const struct legacy_spec *m = legacy_spec_of(seen->legacy);
	size_t headers = sizeof(struct ib_uverbs_cmd_hdr);

	if (is_extended(seen))
		headers += sizeof(struct ib_uverbs_ex_cmd_hdr);
	if (in->value % (is_extended(seen) ? 8 : 4))
		return ROW_COMMAND_WRITE_SIZE;
	if (!m || in->value >= headers + m->request)
		return ROW_COMMAND_FREE;
	return in->value < headers ? ROW_COMMAND_WRITE_SIZE
				   : ROW_COMMAND_WRITE_SHORT;
}

static enum row row_of_written_command(const struct change_args *in)
{
	if (in->value & ~KNOWN_COMMANDS)
		return ROW_COMMAND_WRITE_FLAGS;
	return (in->value & IB_USER_VERBS_CMD_COMMAND_MASK) < PAST_COMMANDS
		       ? ROW_COMMAND_FREE
		       : ROW_COMMAND_WRITE_UNKNOWN;
}

static enum row row_of_write(const struct change_args *in,
			     const struct changed_args *seen)
{
	switch (in->how) {
	case CHANGE_WRITE:
		return ROW_COMMAND_WRITE;
	case CHANGE_WRITE_COMMAND:
		return row_of_written_command(in);
	case CHANGE_WRITE_IN:
	case CHANGE_WRITE_DRIVER_IN:
		return ROW_COMMAND_WRITE_SIZE;
	case CHANGE_WRITE_OUT:
		return row_of_room(in, seen);
	case CHANGE_WRITE_COUNT:
		return row_of_count(in, seen);
	case CHANGE_WRITE_RESERVED:
		return ROW_COMMAND_WRITE_RESERVED;
	default:
		return ROW_COMMAND_WRITE_RESPONSE;
	}
}

static enum row row_of_change(const struct step *s,
			      const struct changed_args *seen)
{
	const struct change_args *in = &s->m->change;
	const struct method_spec *m =
		method_spec_of(seen->object_id, seen->method_id);
	const struct attr_spec *a = m ? method_spec_attr(m, in->attr) : NULL;

	if (in->how >= CHANGE_WRITE)
		return row_of_write(in, seen);
	switch (in->how) {
	case CHANGE_NOTE:
	case CHANGE_KEEP:
	case CHANGE_KEEP_HANDLE:
		return ROW_COMMAND_FREE;
	case CHANGE_MEANWHILE:
		return s->m->meanwhile_gone ? ROW_COMMAND_GONE
					    : ROW_COMMAND_FREE;
	case CHANGE_TWICE:
		return s->m->meanwhile_gone ? ROW_COMMAND_TWICE
					    : ROW_COMMAND_FREE;
	case CHANGE_REQUEST:
		return ROW_COMMAND_IOCTL;
	case CHANGE_HEADER_LENGTH:
	case CHANGE_ATTR_COUNT:
		return ROW_COMMAND_HEADER;
	case CHANGE_RESERVED1:
	case CHANGE_RESERVED2:
		return ROW_COMMAND_HEADER_RESERVED;
	case CHANGE_DRIVER_ID:
		return ROW_COMMAND_DRIVER_ID;
	case CHANGE_OBJECT_ID:
	case CHANGE_METHOD_ID:
		return in->value == NO_SUCH_ID ? ROW_COMMAND_METHOD
					       : ROW_COMMAND_FREE;
	case CHANGE_ADD_MANDATORY:
		return ROW_COMMAND_ATTR_UNKNOWN;
	case CHANGE_ADD_OPTIONAL:
		return ROW_COMMAND_ATTR_IGNORED;
	default:
		return a ? row_of_attr(s, seen, a) : ROW_COMMAND_FREE;
	}
}

/* Returns true if no rule decides about the change: the kernel was asked for
 * something else, and did it. */
static bool asks_for_more(const struct step *s)
{
	const struct changed_args *seen = &s->seen->changed;
	const struct change_args *in = &s->m->change;

	return seen->made && !change_is_harmless(in->how) &&
	       !has_rival(in->how) && !is_drivers(in) &&
	       row_of_change(s, seen) == ROW_COMMAND_FREE;
}

/* Returns true if the kernel must carry out the command as if nothing were
 * changed. */
static bool changes_nothing(const struct step *s)
{
	const struct changed_args *seen = &s->seen->changed;

	return change_is_harmless(s->m->change.how) ||
	       s->m->change.how == CHANGE_TWICE ||
	       (seen->made && row_of_change(s, seen) == ROW_COMMAND_ZERO_TAIL);
}

/* Returns true if the change alone explains that the call was refused. The call
 * may also have been refused without it, by rules of its own. */
static bool change_explains(struct step *s)
{
	if (changes_nothing(s))
		return false;
	s->m->refused_anyway = choose_among(s, 2);
	return !s->m->refused_anyway;
}

static void answer_as_seen(struct step *s)
{
	s->a->row = ROW_COMMAND_REFUSED;
	s->a->outcome.ret = s->seen->ret;
	s->a->outcome.err = s->seen->err;
	s->a->outcome.in_changed = s->seen->in_changed;
	s->a->outcome.out_written = s->seen->out_written;
	record_row(s, ROW_COMMAND_REFUSED);
}

bool command_refused(struct step *s)
{
	const bool changed = s->m->changes_next;

	s->m->answer_cut = false;
	if (s->b->verb == V_change_command || s->b->verb == V_changed_command)
		return false;
	follow_handle(s, changed);
	if (!changed)
		return false;
	s->m->changes_next = false;
	s->m->refused_anyway = false;
	s->m->carried_out = s->seen_error;
	/* ibv_open_device learns from a QUERY_DEVICE without room whether the
	 * kernel takes legacy commands as a method. */
	s->m->only_asks = s->b->verb == V_open_device;
	s->m->answer_cut = !s->seen_error && cuts_answer(s->m->change.how);
	if (!s->seen_error && asks_for_more(s))
		s->m->asked_more = true;
	if (!s->seen_error || !change_explains(s))
		return false;
	answer_as_seen(s);
	return true;
}

/* Returns true if the kernel's answer explains that of the call. The library is
 * told EINVAL instead of an errno after which it would send another command,
 * and may refuse by itself what the kernel has carried out. */
static bool explains_call(int answer, int call)
{
	return answer == call || !answer ||
	       (call == EINVAL && has_other_form(answer));
}

/* Returns the errno of the n-th outcome of the row. */
static uint64_t errno_of(const struct step *s, enum row row, int n)
{
	const int seen = s->seen->out.changed.err;
	const int call = s->m->carried_out;

	if (change_is_harmless(s->m->change.how) ||
	    row == ROW_COMMAND_ZERO_TAIL)
		return (uint64_t)(explains_call(seen, call) ? seen : call);
	return (uint64_t)out_errno(rule(row)->out[n]);
}

/* Which errno a rival gets depends on when it came: each is as good. */
static bool is_up_to_time(enum row row)
{
	return row == ROW_COMMAND_GONE || row == ROW_COMMAND_TWICE;
}

/* Leaves only `seen`, if it is among the values. Returns how many are left. */
static int keep_only(uint64_t *value, int n, uint64_t seen)
{
	for (int i = 0; i < n; i++)
		if (value[i] == seen) {
			value[0] = seen;
			return 1;
		}
	return n;
}

static void judge_change(struct step *s, const struct changed_args *seen)
{
	enum row row = row_of_change(s, seen);
	uint64_t err[ROW_MAX_OUTS];
	int n = rule_nouts(row);

	s->a->row = row;
	if (rule(row)->strength == MAY || s->m->refused_anyway ||
	    (s->m->only_asks && change_is_harmless(s->m->change.how))) {
		record_row(s, row);
		return;
	}
	for (int i = 0; i < n; i++)
		err[i] = errno_of(s, row, i);
	if (is_up_to_time(row))
		n = keep_only(err, n, (uint64_t)seen->err);
	answer_define(s, F_changed_err,
		      choose_value(s, row, err, n, (uint64_t)seen->err), row);
}

void do_changed_command(struct step *s)
{
	if (!s->d->can_change || !is_oracle(s)) {
		answer_refuse(s, ROW_OBJ_UNSUPPORTED, EOPNOTSUPP);
		return;
	}
	answer_accept(s, ROW_NONE);
	judge_change(s, &s->seen->out.changed);
}
