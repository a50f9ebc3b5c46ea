/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the text of a program line by line:
 *
 *	[result =] verb [object] [field=value]... [=> error [field=value]...]
 *
 * The comment lines at the beginning say what the program is about.
 */
#include <errno.h>
#include <string.h>
#include "program/lex.h"

static int check_characters(struct lexer *l)
{
	for (const char *at = l->line; at < l->next; at++) {
		unsigned char c = (unsigned char)*at;

		if ((c < ' ' && !strchr("\t\r\n", c)) || c == 0x7f || !c)
			return lex_error(l, at, "control character 0x%02x", c);
	}
	return 0;
}

/* Adds the line's comment to the text about the program. */
static void take_about(struct lexer *l, bool first)
{
	const char *text = l->stop + 1, *end = l->next;
	size_t used = strlen(l->p->about), room, len;

	if (text < end && *text == ' ')
		text++;
	room = sizeof(l->p->about) - 1 - used;
	if (!first && room) {
		l->p->about[used++] = '\n';
		room--;
	}
	len = (size_t)(end - text) < room ? (size_t)(end - text) : room;
	/* A line break at the end would be lost when the text is parsed again.
	 */
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	memcpy(l->p->about + used, text, len);
	l->p->about[used + len] = '\0';
}

static int parse_result(struct lexer *l, struct word w, char *name)
{
	char quote[QUOTE_LEN];

	word_quote(w, quote);
	if (!word_is_name(w) || word_is(w, "none"))
		return lex_error(l, w.at, "'%s' cannot name an object", quote);
	if (!word_copy(w, name, OBJ_NAME_LEN))
		return lex_error(l, w.at, "'%s' is longer than %d letters",
				 quote, OBJ_NAME_LEN - 1);
	if (!l->bound && find_object(l->p, w) >= 0)
		return lex_error(l, w.at, "'%s' is defined twice", quote);
	return 0;
}

static int parse_verb(struct lexer *l, struct word w, enum verb *verb)
{
	char name[64], quote[QUOTE_LEN];
	int v = -1;

	if (!w.len)
		return lex_error(l, w.at, "a verb must follow '='");
	if (word_copy(w, name, sizeof(name)))
		v = verb_by_name(name);
	if (v < 0)
		return lex_error(l, w.at, "unknown verb '%s'",
				 word_quote(w, quote));
	*verb = (enum verb)v;
	return 0;
}

static bool is_setting(struct word w)
{
	return w.len == 0 || memchr(w.at, '=', w.len) != NULL;
}

static int parse_on(struct lexer *l, struct call *c)
{
	const struct verb_info *info = verb_info((enum verb)c->verb);
	struct word w = lex_peek(l);
	bool optional = info->on == OBJ_CTX && c->verb != V_close_device;
	char text[64];

	if (info->on == OBJ_NONE)
		return 0;
	if (is_setting(w)) {
		if (optional)
			return 0;
		return lex_error(l, w.at, "%s needs an object of kind %s",
				 info->name, object_kind_name(info->on));
	}
	if (optional && find_object(l->p, w) < 0 &&
	    word_copy(w, text, sizeof(text)) &&
	    field_by_text(info->in, text) >= 0)
		return lex_error(l, w.at, "'=' is missing after '%s'", text);
	lex_word(l);
	return parse_object(l, w, info->on, &c->on);
}

/* Splits field=value. */
static int split(struct lexer *l, struct word w, struct word *name,
		 struct word *value)
{
	const char *equals = memchr(w.at, '=', w.len);
	char quote[QUOTE_LEN];

	if (!equals)
		return lex_error(l, w.at,
				 "'%s' is not field=value: '=' is missing",
				 word_quote(w, quote));
	*name = word_upto(w, (size_t)(equals - w.at));
	*value = word_from(w, name->len + 1);
	if (!value->len)
		return lex_error(l, value->at, "'%s' lacks its value",
				 word_quote(*name, quote));
	return 0;
}

static int field_of(const struct call *c, struct word name, bool output)
{
	enum verb verb = (enum verb)c->verb;
	char text[WRITTEN_TEXT_LEN];
	int f;

	if (!word_copy(name, text, sizeof(text)))
		return -1;
	if (output)
		return written_by_text(verb, text);
	f = field_by_text(verb_info(verb)->in, text);
	return f >= 0 && verb_reads(verb, (enum field)f) ? f : -1;
}

static int parse_setting(struct lexer *l, struct call *c, struct word w)
{
	struct program *p = l->p;
	unsigned int n = c->expects ? c->nexp : c->nset;
	struct word name, value;
	struct setting *s;
	char quote[QUOTE_LEN];
	int err, f;

	err = split(l, w, &name, &value);
	if (err)
		return err;
	word_quote(name, quote);
	f = field_of(c, name, c->expects);
	if (f < 0)
		return lex_error(l, w.at, "%s %s no field '%s'",
				 verb_info((enum verb)c->verb)->name,
				 c->expects ? "gives" : "takes", quote);
	if (find_setting(p, c->expects ? c->efirst : c->first, n,
			 (enum field)f))
		return lex_error(l, w.at, "'%s' is set twice", quote);
	if (p->nsettings >= PROG_MAX_SETTINGS)
		return lex_error(l, w.at, "more than %d settings",
				 PROG_MAX_SETTINGS);
	s = &p->setting[p->nsettings];
	err = parse_value(l, (enum field)f, value, &s->value);
	if (err)
		return err;
	s->field = (uint16_t)f;
	p->nsettings++;
	if (c->expects)
		c->nexp++;
	else
		c->nset++;
	return 0;
}

static bool is_from(const struct call *c, struct word w)
{
	return c->verb == V_modify_qp && !c->expects && w.len >= 5 &&
	       !memcmp(w.at, "from=", 5);
}

static int parse_from(struct lexer *l, struct call *c, struct word w)
{
	if (c->from != NO_OBJ)
		return lex_error(l, w.at, "'from' is set twice");
	return parse_object(l, word_from(w, 5), OBJ_QUERY, &c->from);
}

static int parse_expectation(struct lexer *l, struct call *c)
{
	struct word w = lex_word(l);
	char quote[QUOTE_LEN];
	uint64_t num = INT16_MAX + 1;
	int err = -1;

	if (!w.len)
		return lex_error(l, w.at,
				 "0, an errno name or a number must follow =>");
	if (!parse_digits(w, &num))
		err = errno_by_name(w.at, w.len);
	if (err < 0 && num > INT16_MAX)
		return lex_error(l, w.at, "'%s' is no errno name or number",
				 word_quote(w, quote));
	c->expects = true;
	c->expect_err = (int16_t)(err < 0 ? (int)num : err);
	c->efirst = l->p->nsettings;
	return 0;
}

static int parse_settings(struct lexer *l, struct call *c)
{
	struct word w;
	int err = 0;

	for (w = lex_word(l); w.len && !err; w = lex_word(l)) {
		if (word_is(w, "=>")) {
			if (c->expects)
				return lex_error(l, w.at, "a second =>");
			err = parse_expectation(l, c);
		} else if (is_from(c, w)) {
			err = parse_from(l, c, w);
		} else {
			err = parse_setting(l, c, w);
		}
		if (err)
			break;
	}
	return err;
}

/* Returns true if the call needs a slot: an object gets a slot even if the text
 * does not name it. */
static bool needs_place(const struct call *c, const char *name)
{
	return name[0] || verb_info((enum verb)c->verb)->conv == CONV_PTR;
}

/* Returns the slot of a name, which is new unless a bound call uses the slot of
 * an object that is gone; -1 without room. */
static int slot_for(struct program *p, const char *name)
{
	int slot = name[0] ? prog_slot(p, name) : -1;

	if (slot < 0 && p->nobjects < PROG_MAX_OBJECTS)
		slot = p->nobjects++;
	return slot;
}

/* Adds the object that a call creates. Later lines can name it. */
static int define(struct lexer *l, const char *at, struct call *c,
		  const char *name)
{
	int slot = slot_for(l->p, name);
	struct prog_object *o;

	if (slot < 0)
		return lex_error(l, at, "more than %d objects",
				 PROG_MAX_OBJECTS);
	o = &l->p->object[slot];
	o->kind = (uint8_t)verb_info((enum verb)c->verb)->makes;
	strcpy(o->name, name);
	c->result = (uint8_t)slot;
	return 0;
}

static struct call *begin_call(struct lexer *l, enum verb verb)
{
	struct call *c = &l->p->call[l->p->ncalls];

	*c = (struct call){
		.verb = (uint8_t)verb,
		.result = NO_OBJ,
		.on = NO_OBJ,
		.from = NO_OBJ,
		.first = l->p->nsettings,
		.efirst = l->p->nsettings,
		.line = l->number,
	};
	return c;
}

static int parse_call(struct lexer *l, struct word w)
{
	char name[OBJ_NAME_LEN] = "";
	const char *first = w.at;
	struct call *c;
	enum verb verb = VERB_NR;
	int err;

	if (l->p->ncalls >= PROG_MAX_CALLS)
		return lex_error(l, w.at, "more than %d calls", PROG_MAX_CALLS);
	if (word_is(lex_peek(l), "=")) {
		err = parse_result(l, w, name);
		if (err)
			return err;
		lex_word(l);
		w = lex_word(l);
	}
	err = parse_verb(l, w, &verb);
	if (err)
		return err;
	if (name[0] && verb_info(verb)->makes == OBJ_NONE)
		return lex_error(l, w.at, "%s makes nothing to be named",
				 verb_info(verb)->name);
	c = begin_call(l, verb);
	err = parse_on(l, c);
	if (err)
		return err;
	err = parse_settings(l, c);
	if (err)
		return err;
	if (needs_place(c, name))
		err = define(l, first, c, name);
	if (!err)
		l->p->ncalls++;
	return err;
}

static int parse_line(struct lexer *l, bool *opening)
{
	struct word w = lex_word(l);
	bool comment = l->stop < l->end && *l->stop == '#';
	bool opens = *opening;
	int err = check_characters(l);

	if (err)
		return err;
	if (opens && !w.len && comment) {
		take_about(l, l->number == 1);
		return 0;
	}
	*opening = false;
	return w.len ? parse_call(l, w) : 0;
}

int prog_parse(struct program *p, const char *file, const char *text,
	       size_t len, char *err, size_t errlen)
{
	struct lexer l = {
		.p = p,
		.file = file,
		.next = text,
		.end = text + len,
		.err = err,
		.errlen = errlen,
	};
	bool opening = true;
	int ret = 0;

	prog_init(p);
	while (!ret && lex_line(&l))
		ret = parse_line(&l, &opening);
	return ret;
}

int prog_slot(const struct program *p, const char *name)
{
	return find_object(p, (struct word){name, strlen(name)});
}

int call_parse(struct program *p, const char *text, size_t len, char *err,
	       size_t errlen)
{
	struct lexer l = {
		.p = p,
		.file = "call",
		.next = text,
		.end = text + len,
		.bound = true,
		.err = err,
		.errlen = errlen,
	};
	int ret;

	p->ncalls = 0;
	p->nsettings = 0;
	if (!lex_line(&l) || !lex_peek(&l).len)
		return lex_error(&l, l.word, "no call");
	ret = check_characters(&l);
	return ret ? ret : parse_call(&l, lex_word(&l));
}
