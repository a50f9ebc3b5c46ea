/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Patterns in an exported C file: the helpers that fill memory regions and
 * describe them, as pattern.c does it.
 */
#include "program/repro/repro.h"

const char export_pattern[] =
	"/* Patterns: eight bytes tell the number and the place. */\n"
	"#define PATTERN_ZEROS 0\n"
	"#define PATTERN_RAW   255\n"
	"\n"
	"static uint64_t mix(uint64_t x)\n"
	"{\n"
	"\tx = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;\n"
	"\tx = (x ^ (x >> 27)) * 0x94d049bb133111ebull;\n"
	"\treturn x ^ (x >> 31);\n"
	"}\n"
	"\n"
	"static uint64_t pattern_word(uint32_t pattern, uint64_t word)\n"
	"{\n"
	"\treturn pattern ? mix(0x1b7e7ull << 32 | (uint64_t)pattern << 28 |\n"
	"\t\t\t     (word & 0xfffffff)) : 0;\n"
	"}\n"
	"\n"
	"static unsigned char pattern_byte(uint32_t pattern, uint64_t at)\n"
	"{\n"
	"\treturn (unsigned char)(pattern_word(pattern, at / 8) >>\n"
	"\t\t\t       (at % 8 * 8));\n"
	"}\n"
	"\n"
	"static unsigned char *part_of(const struct ibv_mr *mr, "
	"uint64_t offset,\n"
	"\t\t\t      uint64_t *length)\n"
	"{\n"
	"\tif (!mr->length || mr->length > 1ull << 30 || offset > mr->length)\n"
	"\t\treturn NULL;\n"
	"\tif (!*length)\n"
	"\t\t*length = mr->length - offset;\n"
	"\tif (*length > mr->length - offset)\n"
	"\t\treturn NULL;\n"
	"\treturn (unsigned char *)mr->addr + offset;\n"
	"}\n";

const char export_fill[] =
	"static int fill_mr(struct ibv_mr *mr, uint32_t pattern, "
	"uint64_t offset,\n"
	"\t\t   uint64_t length)\n"
	"{\n"
	"\tunsigned char *at = part_of(mr, offset, &length);\n"
	"\n"
	"\tif (!at || pattern > 15)\n"
	"\t\treturn EINVAL;\n"
	"\tfor (uint64_t i = 0; i < length; i++)\n"
	"\t\tat[i] = pattern_byte(pattern, offset + i);\n"
	"\treturn 0;\n"
	"}\n";

const char export_read[] =
	"struct run {\n"
	"\tuint64_t at, length, from;\n"
	"\tuint32_t pattern;\n"
	"};\n"
	"\n"
	"static struct {\n"
	"\tuint64_t checksum;\n"
	"\tuint32_t count;\n"
	"\tstruct run run[6];\n"
	"} view;\n"
	"\n"
	"static uint64_t unmix(uint64_t x)\n"
	"{\n"
	"\tx = (x ^ (x >> 31) ^ (x >> 62)) * 0x319642b2d24d8ec3ull;\n"
	"\tx = (x ^ (x >> 27) ^ (x >> 54)) * 0x96de1b173f119089ull;\n"
	"\treturn x ^ (x >> 30) ^ (x >> 60);\n"
	"}\n"
	"\n"
	"static uint64_t load(const unsigned char *at, uint64_t n)\n"
	"{\n"
	"\tuint64_t value = 0;\n"
	"\n"
	"\tfor (uint64_t i = 0; i < n; i++)\n"
	"\t\tvalue |= (uint64_t)at[i] << (8 * i);\n"
	"\treturn value;\n"
	"}\n"
	"\n"
	"static uint64_t matching(const unsigned char *at, uint64_t length,\n"
	"\t\t\t uint32_t pattern, uint64_t from)\n"
	"{\n"
	"\tuint64_t n = 0;\n"
	"\n"
	"\twhile (n < length && at[n] == pattern_byte(pattern, from + n))\n"
	"\t\tn++;\n"
	"\treturn n;\n"
	"}\n"
	"\n"
	"/* Eight zeros, zeros to the end, or a pattern of which a word begins "
	"here\n"
	" * or up to seven bytes on. */\n"
	"static int is_known(const unsigned char *at, uint64_t length,\n"
	"\t\t    struct run *run)\n"
	"{\n"
	"\t*run = (struct run){ .length = matching(at, length, 0, 0) };\n"
	"\tif (run->length >= (length < 8 ? length : 8))\n"
	"\t\treturn 1;\n"
	"\tfor (uint64_t skip = 0; skip < 8 && skip + 8 <= length; skip++) {\n"
	"\t\tuint64_t x = unmix(load(at + skip, 8));\n"
	"\n"
	"\t\trun->pattern = (uint32_t)(x >> 28) & 15;\n"
	"\t\trun->from = (x & 0xfffffff) * 8 - skip;\n"
	"\t\tif (x >> 32 != 0x1b7e7 || !run->pattern ||\n"
	"\t\t    (x & 0xfffffff) * 8 < skip)\n"
	"\t\t\tcontinue;\n"
	"\t\trun->length = matching(at, length, run->pattern, run->from);\n"
	"\t\tif (run->length >= skip + 8)\n"
	"\t\t\treturn 1;\n"
	"\t}\n"
	"\treturn 0;\n"
	"}\n"
	"\n"
	"static void find_run(const unsigned char *at, uint64_t length,\n"
	"\t\t     struct run *run)\n"
	"{\n"
	"\tuint64_t n = 1;\n"
	"\n"
	"\tif (is_known(at, length, run))\n"
	"\t\treturn;\n"
	"\twhile (n < length && !is_known(at + n, length - n, run))\n"
	"\t\tn++;\n"
	"\t*run = (struct run){ .length = n, .pattern = PATTERN_RAW };\n"
	"\trun->from = load(at, n < 8 ? n : 8);\n"
	"}\n"
	"\n"
	"static int read_mr(struct ibv_mr *mr, uint64_t offset, "
	"uint64_t length)\n"
	"{\n"
	"\tconst unsigned char *at = part_of(mr, offset, &length);\n"
	"\tuint64_t done;\n"
	"\tstruct run run;\n"
	"\n"
	"\tmemset(&view, 0, sizeof(view));\n"
	"\tif (!at)\n"
	"\t\treturn EINVAL;\n"
	"\tview.checksum = mix(length + 1);\n"
	"\tfor (done = 0; done + 8 <= length; done += 8)\n"
	"\t\tview.checksum = mix(view.checksum ^ load(at + done, 8));\n"
	"\tview.checksum = mix(view.checksum ^ load(at + done, "
	"length - done));\n"
	"\tfor (done = 0; done < length; done += run.length) {\n"
	"\t\tfind_run(at + done, length - done, &run);\n"
	"\t\trun.at = offset + done;\n"
	"\t\tif (view.count < 6)\n"
	"\t\t\tview.run[view.count] = run;\n"
	"\t\tview.count++;\n"
	"\t\tif (view.count <= 6)\n"
	"\t\t\tprintf(\"  %llu bytes at %llu: pattern %u from %llu\\n\",\n"
	"\t\t\t       (unsigned long long)run.length,\n"
	"\t\t\t       (unsigned long long)run.at, run.pattern,\n"
	"\t\t\t       (unsigned long long)run.from);\n"
	"\t}\n"
	"\treturn 0;\n"
	"}\n";

static bool names_key(const struct exporter *x, unsigned int first,
		      unsigned int n, uint8_t slot, enum field key)
{
	for (unsigned int i = first; i < first + n; i++) {
		const struct value *v = &x->p->setting[i].value;

		if (v->kind == VAL_OUT && v->ref == slot && v->field == key)
			return true;
	}
	return false;
}

static bool key_used(const struct exporter *x, const struct call *c,
		     enum field key)
{
	const struct program *p = x->p;

	if (c->expects && !c->expect_err &&
	    find_setting(p, c->efirst, c->nexp, key))
		return true;
	for (const struct call *n = c; n < p->call + p->ncalls; n++)
		if (c->result != NO_OBJ &&
		    (names_key(x, n->first, n->nset, c->result, key) ||
		     names_key(x, n->efirst, n->nexp, c->result, key)))
			return true;
	return false;
}

/* Keys outlive their region, or window. */
void export_keys(struct exporter *x, const struct call *c, const char *name)
{
	if (key_used(x, c, F_keys_lkey))
		put_line(x, 1, "uint32_t %s_lkey = %s ? %s->lkey : 0;", name,
			 name, name);
	if (key_used(x, c, F_keys_rkey) || key_used(x, c, F_window_rkey))
		put_line(x, 1, "uint32_t %s_rkey = %s ? %s->rkey : 0;", name,
			 name, name);
}
