// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Generates the cases of changed commands: the header, the list of attributes,
 * and each attribute that the command has, changed in one place.
 */
#include <string.h>
#include "cases/commands/commands.h"
#include "program/repro/parts/command.h"

/* One change, by which a case is named */
struct change {
	const char *name;
	const char *attr; /* NULL: of the header */
	enum row row;
	struct change_args args;
	bool by_cq, by_pd; /* the value is the handle of such an object */
	/* Makes what the change needs. Returns an object whose handle is the
	 * value, or NO_OBJ. */
	uint8_t (*before)(struct gen *g);
};

void command_change(struct gen *g, enum change_how how)
{
	gen_call(g, V_change_command, NO_OBJ);
	prog_num(g->p, F_change_how, how);
}

static void note_destroyed(struct gen *g, enum verb verb, uint8_t first,
			   uint8_t second)
{
	command_change(g, CHANGE_NOTE);
	prog_num(g->p, F_change_attr, 0);
	gen_call(g, verb, second);
	gen_call(g, V_changed_command, NO_OBJ);
	gen_call(g, verb, first);
}

/* The call may make an object, which gets the smallest handle that is free:
 * that of the first of two objects, not the noted one of the second. */
static uint8_t destroy_pd(struct gen *g)
{
	uint8_t first = gen_pd(g);

	note_destroyed(g, V_dealloc_pd, first, gen_pd(g));
	return NO_OBJ;
}

static uint8_t destroy_cq(struct gen *g)
{
	uint8_t first = gen_cq(g);

	note_destroyed(g, V_destroy_cq, first, gen_cq(g));
	return NO_OBJ;
}

/* More objects than the run's own file has: the last handle is one that this
 * file does not have. */
#define OTHERS 32

static uint8_t of_other_file(struct gen *g)
{
	uint8_t ctx = gen_make(g, V_open_device, NO_OBJ), pd = NO_OBJ;

	for (int i = 0; i < OTHERS; i++)
		pd = gen_make(g, V_alloc_pd, ctx);
	return pd;
}

static void put_change(struct gen *g, const struct change *c, uint8_t by)
{
	command_change(g, (enum change_how)c->args.how);
	if (c->attr)
		prog_num(g->p, F_change_attr, c->args.attr);
	if (c->args.offset)
		prog_num(g->p, F_change_offset, c->args.offset);
	if (by != NO_OBJ)
		prog_obj(g->p, F_change_pd, by);
	else if (c->by_cq)
		prog_obj(g->p, F_change_cq, g->cq);
	else if (c->by_pd)
		prog_obj(g->p, F_change_pd, g->pd);
	else if (c->args.how != CHANGE_NOTED &&
		 c->args.how != CHANGE_NOTED_WORD)
		prog_num(g->p, F_change_value, c->args.value);
}

/* A queue pair still answers, in the state in which it has to be. */
static void look_again(struct gen *g, const struct subject *s, uint8_t on)
{
	if (on != NO_OBJ && g->p->object[on].kind == OBJ_QP &&
	    s->verb != V_destroy_qp)
		gen_query(g, on);
}

static void put_case(struct gen *g, const struct subject *s,
		     const struct change *c)
{
	enum claim claim = gen_needs(g, CLAIM_COMMANDS, s->claim);
	uint8_t on, by;

	if (c->attr ? !gen_id(g, "%s/%s/%s", s->name, c->attr, c->name)
		    : !gen_id(g, "%s/%s", s->name, c->name))
		return;
	if (!gen_says_rule(g, c->row, claim, "The command of ibv_%s, %s%s%s",
			   verb_info(s->verb)->name, c->attr ? c->attr : "",
			   c->attr ? " " : "", c->name))
		return;
	on = s->prepare(g);
	by = c->before ? c->before(g) : NO_OBJ;
	put_change(g, c, by);
	s->call(g, s, on);
	gen_call(g, V_changed_command, NO_OBJ);
	look_again(g, s, on);
	gen_done(g);
}

/* --- The header --------------------------------------------------------------
 */

#define HEADER(name_, row_, ...)                                               \
	{                                                                      \
		.name = name_, .row = ROW_COMMAND_##row_, .args = {            \
			__VA_ARGS__                                            \
		}                                                              \
	}

static void headers(struct gen *g, const struct subject *s)
{
	static const struct change changes[] = {
		HEADER("other-request", IOCTL, .how = CHANGE_REQUEST),
		HEADER("length-short", HEADER, .how = CHANGE_HEADER_LENGTH,
		       .value = UINT16_MAX),
		HEADER("length-long", HEADER, .how = CHANGE_HEADER_LENGTH,
		       .value = sizeof(struct ib_uverbs_attr)),
		HEADER("length-past-page", HEADER, .how = CHANGE_HEADER_LENGTH,
		       .value = 8192),
		HEADER("one-attribute-more", HEADER, .how = CHANGE_ATTR_COUNT,
		       .value = 1),
		HEADER("one-attribute-less", HEADER, .how = CHANGE_ATTR_COUNT,
		       .value = UINT16_MAX),
		HEADER("reserved1", HEADER_RESERVED, .how = CHANGE_RESERVED1,
		       .value = 1),
		HEADER("reserved1-high", HEADER_RESERVED,
		       .how = CHANGE_RESERVED1, .value = UINT64_C(1) << 63),
		HEADER("reserved2", HEADER_RESERVED, .how = CHANGE_RESERVED2,
		       .value = 1),
		HEADER("driver-id", DRIVER_ID, .how = CHANGE_DRIVER_ID,
		       .value = 0xfff0),
		HEADER("unknown-object", METHOD, .how = CHANGE_OBJECT_ID,
		       .value = NO_SUCH_ID),
		HEADER("unknown-method", METHOD, .how = CHANGE_METHOD_ID,
		       .value = NO_SUCH_ID),
		HEADER("unknown-mandatory", ATTR_UNKNOWN,
		       .how = CHANGE_ADD_MANDATORY),
		HEADER("unknown-optional", ATTR_IGNORED,
		       .how = CHANGE_ADD_OPTIONAL),
	};

	for (size_t i = 0; i < COUNT(changes); i++)
		put_case(g, s, &changes[i]);
}

/* --- Attributes --------------------------------------------------------------
 */

static void put_attr(struct gen *g, const struct subject *s,
		     const struct attr_spec *a, const char *name, enum row row,
		     struct change_args args)
{
	args.attr = a->id;
	put_case(g, s,
		 &(struct change){.name = name,
				  .attr = a->name,
				  .row = row,
				  .args = args});
}

static void pointers(struct gen *g, const struct subject *s,
		     const struct attr_spec *a)
{
	put_attr(g, s, a, "null", ROW_COMMAND_POINTER,
		 (struct change_args){.how = CHANGE_POINTER,
				      .value = POINTER_NULL});
	put_attr(g, s, a, "kernel-address", ROW_COMMAND_POINTER,
		 (struct change_args){.how = CHANGE_POINTER,
				      .value = POINTER_KERNEL});
	if (a->kind == ATTR_OUT)
		put_attr(g, s, a, "read-only", ROW_COMMAND_POINTER,
			 (struct change_args){.how = CHANGE_POINTER,
					      .value = POINTER_READ_ONLY});
}

/* The attribute as a structure of `min` bytes at least; of `known` bytes, 0: of
 * any size. */
static void lengths(struct gen *g, const struct subject *s,
		    const struct attr_spec *a, size_t min, size_t known,
		    enum row is_short, bool grows)
{
	if (min) {
		put_attr(g, s, a, "short", is_short,
			 (struct change_args){.how = CHANGE_LENGTH,
					      .value = min - 1});
		put_attr(g, s, a, "empty",
			 a->min ? ROW_COMMAND_ATTR_SHORT : is_short,
			 (struct change_args){.how = CHANGE_LENGTH});
	}
	if (!known || known == SIZE_MAX)
		return;
	put_attr(g, s, a, "zero-tail",
		 grows ? ROW_COMMAND_ZERO_TAIL : ROW_COMMAND_ATTR_LONG,
		 (struct change_args){.how = CHANGE_ZERO_TAIL, .value = 64});
	if (a->kind != ATTR_IN)
		return;
	put_attr(g, s, a, "tail",
		 grows ? ROW_COMMAND_TAIL : ROW_COMMAND_ATTR_LONG,
		 (struct change_args){.how = CHANGE_TAIL, .value = 64});
	put_attr(g, s, a, "tail-past-page",
		 grows ? ROW_COMMAND_TAIL : ROW_COMMAND_ATTR_LONG,
		 (struct change_args){.how = CHANGE_TAIL, .value = 4096});
}

static void handles(struct gen *g, const struct subject *s,
		    const struct attr_spec *a)
{
	const bool cq = a->sort == UVERBS_OBJECT_CQ;
	struct change other = {
		.name = "other-type",
		.attr = a->name,
		.row = ROW_COMMAND_HANDLE_TYPE,
		.args = {.how = CHANGE_HANDLE, .attr = a->id},
		.by_pd = cq,
		.by_cq = !cq,
	};

	put_attr(g, s, a, "unknown", ROW_COMMAND_HANDLE,
		 (struct change_args){.how = CHANGE_HANDLE,
				      .value = 0x7ffffff0});
	put_attr(g, s, a, "past-32-bits", ROW_COMMAND_HANDLE,
		 (struct change_args){.how = CHANGE_HANDLE,
				      .value = UINT64_C(1) << 32});
	put_attr(g, s, a, "negative", ROW_COMMAND_HANDLE_NEGATIVE,
		 (struct change_args){.how = CHANGE_HANDLE,
				      .value = UINT64_MAX});
	put_case(g, s, &other);
	other.by_pd = other.by_cq = false;
	other.row = ROW_COMMAND_HANDLE;
	other.name = "other-file";
	other.before = of_other_file;
	put_case(g, s, &other);
	other.name = "destroyed";
	other.args.how = CHANGE_NOTED;
	other.before = cq ? destroy_cq : destroy_pd;
	put_case(g, s, &other);
}

/* Returns true if the command of the subject has the attribute. */
static bool sends(const struct subject *s, const struct attr_spec *a)
{
	char word[40];

	if (!a->optional)
		return true;
	snprintf(word, sizeof(word), " %s ", a->name);
	return s->optional && strstr(s->optional, word);
}

static void flags(struct gen *g, const struct subject *s,
		  const struct attr_spec *a)
{
	if (a->optional && !sends(s, a))
		put_attr(g, s, a, "undefined-flag", ROW_COMMAND_FLAGS,
			 (struct change_args){.how = CHANGE_ADD,
					      .value = 1u << 31});
}

static void descriptors(struct gen *g, const struct subject *s,
			const struct attr_spec *a)
{
	put_attr(g, s, a, "none", ROW_COMMAND_DESCRIPTOR,
		 (struct change_args){.how = CHANGE_HANDLE,
				      .value = UINT64_MAX});
	put_attr(g, s, a, "unknown", ROW_COMMAND_DESCRIPTOR,
		 (struct change_args){.how = CHANGE_HANDLE, .value = 1000000});
	put_attr(g, s, a, "other-file", ROW_COMMAND_DESCRIPTOR,
		 (struct change_args){.how = CHANGE_HANDLE, .value = 2});
}

static bool has_bytes(const struct attr_spec *a)
{
	return a->kind == ATTR_IN || a->kind == ATTR_OUT;
}

static void of_each_kind(struct gen *g, const struct subject *s,
			 const struct attr_spec *a)
{
	if (!a->optional)
		put_attr(g, s, a, "missing", ROW_COMMAND_MISSING,
			 (struct change_args){.how = CHANGE_DROP});
	put_attr(g, s, a, "twice", ROW_COMMAND_DOUBLED,
		 (struct change_args){.how = CHANGE_DOUBLE});
	put_attr(g, s, a, "reserved", ROW_COMMAND_ATTR_RESERVED,
		 (struct change_args){.how = CHANGE_ATTR_RESERVED});
	if (!has_bytes(a))
		put_attr(g, s, a, "with-bytes", ROW_COMMAND_HANDLE_LENGTH,
			 (struct change_args){.how = CHANGE_LENGTH,
					      .value = 4});
}

static void attribute(struct gen *g, const struct subject *s,
		      const struct attr_spec *a)
{
	if (a->flags)
		flags(g, s, a);
	if (!sends(s, a))
		return;
	of_each_kind(g, s, a);
	if (a->kind == ATTR_OBJ)
		handles(g, s, a);
	if (a->kind == ATTR_FD)
		descriptors(g, s, a);
	if (!has_bytes(a))
		return;
	lengths(g, s, a, a->min, a->flags ? 0 : a->max, ROW_COMMAND_ATTR_SHORT,
		a->grows);
	if (a->kind == ATTR_OUT || a->max > sizeof(uint64_t))
		pointers(g, s, a);
}

/* --- Legacy commands
 * -------------------------------------------------------------
 */

static void request_handle(struct gen *g, const struct subject *s,
			   const struct attr_spec *a,
			   const struct request_field *f)
{
	const bool cq = f->sort == UVERBS_OBJECT_CQ;
	struct change change = {
		.name = "other-type",
		.attr = f->name,
		.row = ROW_COMMAND_REQUEST_HANDLE,
		.args = {.how = CHANGE_WORD,
			 .attr = a->id,
			 .offset = (uint32_t)f->offset},
		.by_cq = !cq,
		.by_pd = cq,
	};

	put_case(g, s, &change);
	change.name = "unknown";
	change.by_cq = change.by_pd = false;
	change.args.value = 0x7ffffff0;
	put_case(g, s, &change);
	change.name = "negative";
	change.args.value = UINT32_MAX;
	put_case(g, s, &change);
	change.name = "destroyed";
	change.args.how = CHANGE_NOTED_WORD;
	change.args.value = 0;
	change.before = cq ? destroy_cq : destroy_pd;
	put_case(g, s, &change);
}

static void request_fields(struct gen *g, const struct subject *s,
			   const struct attr_spec *a)
{
	const struct request_field *f;

	for (unsigned int n = 0; (f = request_field(s->legacy, n)); n++)
		if (f->sort)
			request_handle(g, s, a, f);
		else
			put_case(g, s,
				 &(struct change){
					 .name = "illegal",
					 .attr = f->name,
					 .row = ROW_COMMAND_FIELD,
					 .args = {.how = CHANGE_WORD,
						  .attr = a->id,
						  .offset = (uint32_t)f->offset,
						  .value = f->illegal},
				 });
}

static void legacy(struct gen *g, const struct subject *s)
{
	const struct legacy_spec *l = legacy_spec_named(s->legacy);
	const struct method_spec *m = method_spec_named("invoke_write");
	const struct attr_spec *command =
		method_spec_attr(m, UVERBS_ATTR_WRITE_CMD);
	const struct attr_spec *in = method_spec_attr(m, UVERBS_ATTR_CORE_IN);
	const struct attr_spec *out = method_spec_attr(m, UVERBS_ATTR_CORE_OUT);

	attribute(g, s, command);
	of_each_kind(g, s, in);
	lengths(g, s, in, l->request, l->known, ROW_COMMAND_REQUEST_SHORT,
		true);
	pointers(g, s, in);
	request_fields(g, s, in);
	if (!l->response)
		return;
	of_each_kind(g, s, out);
	lengths(g, s, out, l->response, SIZE_MAX, ROW_COMMAND_RESPONSE_SHORT,
		true);
	pointers(g, s, out);
}

/* --- Legacy commands that are written ---------------------------------------
 */

static void written(struct gen *g, const struct subject *s)
{
	static const struct change changes[] = {
		HEADER("write/as-it-is", WRITE, .how = CHANGE_WRITE),
		HEADER("write/unknown", WRITE_UNKNOWN,
		       .how = CHANGE_WRITE_COMMAND, .value = 0xfe),
		HEADER("write/unknown-extended", WRITE_UNKNOWN,
		       .how = CHANGE_WRITE_COMMAND,
		       .value = 0xfe | IB_USER_VERBS_CMD_FLAG_EXTENDED),
		HEADER("write/undefined-flag", WRITE_FLAGS,
		       .how = CHANGE_WRITE_COMMAND, .value = 1u << 30),
		HEADER("write/one-word-more", WRITE_SIZE,
		       .how = CHANGE_WRITE_IN, .value = 1),
		HEADER("write/one-word-less", WRITE_SIZE,
		       .how = CHANGE_WRITE_IN, .value = UINT16_MAX),
		HEADER("write/less-than-a-header", WRITE_SIZE,
		       .how = CHANGE_WRITE_COUNT, .value = 4),
		HEADER("write/nothing", WRITE_SIZE, .how = CHANGE_WRITE_COUNT,
		       .value = 0),
	};
	static const struct change room =
		HEADER("write/no-room", WRITE_SHORT, .how = CHANGE_WRITE_OUT,
		       .value = 0);
	static const struct change answered[] = {
		HEADER("write/response-null", WRITE_RESPONSE,
		       .how = CHANGE_WRITE_RESPONSE, .value = POINTER_NULL),
		HEADER("write/response-kernel-address", WRITE_RESPONSE,
		       .how = CHANGE_WRITE_RESPONSE, .value = POINTER_KERNEL),
		HEADER("write/response-read-only", WRITE_RESPONSE,
		       .how = CHANGE_WRITE_RESPONSE,
		       .value = POINTER_READ_ONLY),
	};
	static const struct change extended[] = {
		HEADER("write/reserved", WRITE_RESERVED,
		       .how = CHANGE_WRITE_RESERVED, .value = 1),
		HEADER("write/driver-words", WRITE_SIZE,
		       .how = CHANGE_WRITE_DRIVER_IN, .value = 1000),
		HEADER("write/header-alone", WRITE_SIZE,
		       .how = CHANGE_WRITE_COUNT, .value = 8),
	};
	static const struct change alone =
		HEADER("write/header-alone", WRITE_SHORT,
		       .how = CHANGE_WRITE_COUNT, .value = 8);
	const struct legacy_spec *l = legacy_spec_named(s->legacy);

	for (size_t i = 0; i < COUNT(changes); i++)
		put_case(g, s, &changes[i]);
	for (size_t i = 0; l->response && i < COUNT(answered); i++)
		put_case(g, s, &answered[i]);
	if (l->id & IB_USER_VERBS_CMD_FLAG_EXTENDED) {
		for (size_t i = 0; i < COUNT(extended); i++)
			put_case(g, s, &extended[i]);
		return;
	}
	put_case(g, s, &alone);
	if (l->response)
		put_case(g, s, &room);
}

static void driver_data(struct gen *g, const struct subject *s)
{
	const struct attr_spec *in = udata_spec(UVERBS_ATTR_UHW_IN);
	const struct attr_spec *out = udata_spec(UVERBS_ATTR_UHW_OUT);

	of_each_kind(g, s, in);
	of_each_kind(g, s, out);
	put_attr(g, s, in, "tail", ROW_COMMAND_FREE,
		 (struct change_args){.how = CHANGE_TAIL, .value = 64});
	put_attr(g, s, in, "left-out", ROW_COMMAND_FREE,
		 (struct change_args){.how = CHANGE_DROP});
	put_attr(g, s, in, "null", ROW_COMMAND_FREE,
		 (struct change_args){.how = CHANGE_POINTER});
	put_attr(g, s, out, "null", ROW_COMMAND_FREE,
		 (struct change_args){.how = CHANGE_POINTER});
}

static void method(struct gen *g, const struct subject *s)
{
	const struct method_spec *m = method_spec_named(s->method);

	for (const struct attr_spec *a = m->attrs; a->name; a++)
		attribute(g, s, a);
	if (m->flags & METHOD_UDATA)
		driver_data(g, s);
}

/* Only a device below the library has these cases: others would list each as
 * unsupported. */
void gen_commands(struct gen *g)
{
	size_t n;
	const struct subject *all = command_subjects(&n);

	if (!g->d->can_change)
		return;
	gen_prefix(g, "command/");
	if (!gen_may_select(g))
		return;
	for (size_t i = 0; i < n; i++) {
		headers(g, &all[i]);
		if (all[i].method) {
			method(g, &all[i]);
			continue;
		}
		legacy(g, &all[i]);
		written(g, &all[i]);
		driver_data(g, &all[i]);
	}
	gen_meanwhile(g);
}
