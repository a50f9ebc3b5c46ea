/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints a program with threads: a function for each thread, and run() with the
 * calls before, between and after them. The threads share the objects that
 * were made before.
 */
#include <string.h>
#include "program/repro/repro.h"

static bool is_step(const struct call *c)
{
	return verb_is_of_threads((enum verb)c->verb);
}

/* Returns true for an object that is a pointer in C. */
static bool is_pointer(enum object_kind kind)
{
	return kind != OBJ_QUERY && kind != OBJ_ECE && kind != OBJ_WC &&
	       kind != OBJ_KEY && kind != OBJ_TAG && kind != OBJ_NONE;
}

/* Calls fn for each object that a call names. */
static void each_named(struct exporter *x, const struct call *c,
		       void (*fn)(struct exporter *x, const struct call *c,
				  uint8_t slot))
{
	if (c->on != NO_OBJ)
		fn(x, c, c->on);
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct value *v = &x->p->setting[c->first + i].value;

		if ((v->kind == VAL_OBJ || v->kind == VAL_OUT) &&
		    v->ref != NO_OBJ)
			fn(x, c, v->ref);
	}
}

/* --- What can be printed -------------------------------------------------- */

static void look_at(struct exporter *x, const struct call *c, uint8_t slot)
{
	int made = making_call(x->p, slot);

	(void)c;
	if (made < 0 || x->in_thread[made] ||
	    !is_pointer((enum object_kind)x->p->object[slot].kind) ||
	    export_is_moved(x->p, slot))
		x->threads = false;
	x->shared[slot] = true;
}

static void look_at_call(struct exporter *x, const struct call *c)
{
	if (c->from != NO_OBJ ||
	    (c->result != NO_OBJ && export_used_later(x, c)))
		x->threads = false;
	if (c->on != NO_OBJ && verb_destroys((enum verb)c->verb))
		x->guarded[c->on] = true;
	each_named(x, c, look_at);
}

static void find_guarded(struct exporter *x, const struct call *c, uint8_t slot)
{
	int made = making_call(x->p, slot);

	if (x->guarded[slot] && c->result != NO_OBJ && c > &x->p->call[made] &&
	    export_used_later(x, c))
		x->threads = false;
}

/* A block around a call keeps what the call makes from later ones. */
static void look_behind(struct exporter *x, const struct call *c)
{
	each_named(x, c, find_guarded);
}

void threads_look(struct exporter *x)
{
	unsigned int n = 0;
	bool in = false;

	for (unsigned int i = 0; i < x->p->ncalls; i++) {
		const struct call *c = &x->p->call[i];

		if (c->verb == V_thread)
			n++;
		x->threads |= c->verb == V_thread;
		in = c->verb == V_thread || (in && c->verb != V_join);
		x->in_thread[i] = in;
	}
	if (n > MAX_THREADS)
		x->threads = false;
	for (unsigned int i = 0; x->threads && i < x->p->ncalls; i++)
		if (x->in_thread[i] && !is_step(&x->p->call[i]))
			look_at_call(x, &x->p->call[i]);
	for (unsigned int i = 0; x->threads && i < x->p->ncalls; i++)
		if (!x->in_thread[i])
			look_behind(x, &x->p->call[i]);
}

/* --- Objects -------------------------------------------------------------- */

/* Prints a variable's line for an object, or for a key of one: `key` is "" or
 * "_rkey". */
typedef void put_variable(struct exporter *x, const char *type,
			  const char *name, const char *key);

static void put_member(struct exporter *x, const char *type, const char *name,
		       const char *key)
{
	put_line(x, 1, "%s%s%s;", type, name, key);
}

static void put_sharing(struct exporter *x, const char *type, const char *name,
			const char *key)
{
	(void)type;
	put_line(x, 1, "shared.%s%s = %s%s;", name, key, name, key);
}

static void put_local(struct exporter *x, const char *type, const char *name,
		      const char *key)
{
	put_line(x, 1, "%s%s%s = shared.%s%s;", type, name, key, name, key);
}

/* The keys of an object that calls take are variables of their own. */
static void put_keys(struct exporter *x, uint8_t slot, struct call_range calls,
		     put_variable *put)
{
	enum verb verb = (enum verb)x->p->call[making_call(x->p, slot)].verb;
	enum family out = verb_info(verb)->out;
	char key[C_NAME_LEN];

	for (unsigned int i = 0; i < family_count(out); i++) {
		enum field f = (enum field)(family_first(out) + i);

		snprintf(key, sizeof(key), "_%s", field_info(f)->text);
		if (export_names_key(x, calls, slot, f))
			put(x, "uint32_t ", c_object(x, slot), key);
	}
}

/* Prints a line for each object of the list, and for each of its keys that the
 * calls take. */
static void put_variables(struct exporter *x, const bool *list,
			  struct call_range calls, put_variable *put)
{
	char type[C_NAME_LEN + 32];

	for (unsigned int slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		if (!list[slot])
			continue;
		snprintf(type, sizeof(type), "%s *",
			 c_type((enum object_kind)x->p->object[slot].kind));
		put(x, type, c_object(x, slot), "");
		put_keys(x, (uint8_t)slot, calls, put);
	}
}

/* Calls put for all that threads share. */
static void each_shared(struct exporter *x, put_variable *put)
{
	struct call_range threads = {0, x->p->ncalls};

	while (threads.first < threads.end && !x->in_thread[threads.first])
		threads.first++;
	put_variables(x, x->shared, threads, put);
}

static void put_shared(struct exporter *x)
{
	fputs("/* Objects of the threads, made before they begin */\n"
	      "static struct {\n",
	      x->out);
	each_shared(x, put_member);
	fputs("} shared;\n\n", x->out);
	for (unsigned int slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		if (x->guarded[slot])
			put_line(x, 0,
				 "static struct usable usable_%s = USABLE;",
				 c_object(x, slot));
}

static void note_named(struct exporter *x, const struct call *c, uint8_t slot)
{
	(void)c;
	x->named[slot] = true;
}

static void put_locals(struct exporter *x, struct call_range calls)
{
	memset(x->named, 0, sizeof(x->named));
	for (unsigned int i = calls.first; i < calls.end; i++)
		if (!is_step(&x->p->call[i]))
			each_named(x, &x->p->call[i], note_named);
	put_variables(x, x->named, calls, put_local);
}

/* --- Calls ---------------------------------------------------------------- */

static void collect_guards(struct exporter *x, const struct call *c,
			   uint8_t slot)
{
	(void)c;
	x->named[slot] |= x->guarded[slot];
}

/* Opens a block for a call that needs no object that is gone. */
static void open_guards(struct exporter *x, const struct call *c)
{
	memset(x->named, 0, sizeof(x->named));
	each_named(x, c, collect_guards);
	for (unsigned int slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		bool ends = c->on == slot && verb_destroys((enum verb)c->verb);

		if (x->named[slot])
			put_line(x, 1, "if (%s(&usable_%s)) {",
				 ends ? "end_object" : "use_object",
				 c_object(x, slot));
	}
}

static void close_guards(struct exporter *x)
{
	for (unsigned int slot = PROG_MAX_OBJECTS; slot--;)
		if (x->named[slot]) {
			put_line(x, 1, "leave_object(&usable_%s);",
				 c_object(x, slot));
			put_line(x, 1, "}");
		}
}

static void put_guarded(struct exporter *x, const struct call *c)
{
	open_guards(x, c);
	export_call(x, c);
	close_guards(x);
}

static void put_nap(struct exporter *x, const struct call *c)
{
	char args[C_TEXT_LEN];
	struct text t;

	text_init(&t, args, sizeof(args));
	c_setting(x, &t, c, F_nap_us, "0");
	text_add(&t, ", ");
	c_setting(x, &t, c, F_nap_yields, "0");
	put_line(x, 1, "nap_for(%s);", args);
}

static void put_thread(struct exporter *x, unsigned int number,
		       struct call_range calls)
{
	fprintf(x->out, "\nstatic void *thread%u(void *seed)\n{\n", number);
	put_locals(x, calls);
	x->quiet = true;
	for (unsigned int i = calls.first; i < calls.end; i++) {
		const struct call *c = &x->p->call[i];

		fputc('\n', x->out);
		if (c->verb == V_nap) {
			put_nap(x, c);
			continue;
		}
		put_line(x, 1, "pause_a_while(seed);");
		put_guarded(x, c);
	}
	x->quiet = false;
	fputs("\treturn NULL;\n}\n", x->out);
}

/* Returns the end of the thread that begins behind `first`. */
static unsigned int end_of(const struct exporter *x, unsigned int first)
{
	unsigned int i = first;

	while (i < x->p->ncalls && x->p->call[i].verb != V_thread &&
	       x->p->call[i].verb != V_join)
		i++;
	return i;
}

static void put_functions(struct exporter *x)
{
	unsigned int number = 0;

	for (unsigned int i = 0; i < x->p->ncalls; i++)
		if (x->p->call[i].verb == V_thread)
			put_thread(x, ++number,
				   (struct call_range){i + 1,
						       end_of(x, i + 1)});
}

/* Begins the threads from `first` on, and waits for them. Returns the index of
 * the call behind them. */
static unsigned int put_group(struct exporter *x, unsigned int first,
			      unsigned int *number)
{
	unsigned int n = 0, i = first;
	char seed[C_TEXT_LEN];
	struct text t;

	each_shared(x, put_sharing);
	fputs("\trun_threads((thread_fn *const[]){", x->out);
	for (; i < x->p->ncalls && x->p->call[i].verb == V_thread;
	     i = end_of(x, i + 1))
		fprintf(x->out, "%sthread%u", n++ ? ", " : "", ++*number);
	text_init(&t, seed, sizeof(seed));
	if (i < x->p->ncalls)
		c_setting(x, &t, &x->p->call[i], F_schedule_seed, "0");
	else
		text_add(&t, "0");
	fprintf(x->out, "}, %u, %s);\n", n, seed);
	return i + 1;
}

void threads_put(struct exporter *x)
{
	unsigned int number = 0;

	put_shared(x);
	put_functions(x);
	fputs("\nstatic int run(void)\n{\n", x->out);
	for (unsigned int i = 0; i < x->p->ncalls;) {
		const struct call *c = &x->p->call[i];

		if (i)
			fputc('\n', x->out);
		if (c->verb == V_thread) {
			i = put_group(x, i, &number);
			continue;
		}
		if (number && !is_step(c))
			put_guarded(x, c);
		else if (!is_step(c))
			export_call(x, c);
		i++;
	}
	fputs("\treturn 0;\n}\n", x->out);
}
