/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints a program as a Python test for rdma-core's tests/: a class on a base
 * class of tests/base.py, and one method with the calls. The calls are printed
 * first, since they say which base class and which names the file needs.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "program/forms.h"
#include "program/pyverbs/pyverbs.h"

/* The import that a file needs if one of its words begins so */
static const struct {
	const char *word, *line;
} imports[] = {
	{"contextlib.", "import contextlib\n"},
	{"errno.", "import errno\n"},
	{"os.", "import os\n"},
	{"socket.", "import socket\n"},
	{"time.", "import time\n"},
	{"AHAttr(", "from pyverbs.addr import AHAttr\n"},
	{"GlobalRoute(", "from pyverbs.addr import GlobalRoute\n"},
	{"GID(", "from pyverbs.addr import GID\n"},
	{"AH(", "from pyverbs.addr import AH\n"},
	{"CQ(", "from pyverbs.cq import CQ\n"},
	{"CompChannel(", "from pyverbs.cq import CompChannel\n"},
	{"d.Context(", "import pyverbs.device as d\n"},
	{"MR(", "from pyverbs.mr import MR\n"},
	{"MW(", "from pyverbs.mr import MW\n"},
	{"PD(", "from pyverbs.pd import PD\n"},
	{"PyverbsRDMAError", "from pyverbs.pyverbs_error import "
			     "PyverbsRDMAError\n"},
	{"QP(", "from pyverbs.qp import QP\n"},
	{"QPAttr(", "from pyverbs.qp import QPAttr\n"},
	{"QPCap(", "from pyverbs.qp import QPCap\n"},
	{"QPInitAttr(", "from pyverbs.qp import QPInitAttr\n"},
	{"QPInitAttrEx(", "from pyverbs.qp import QPInitAttrEx\n"},
	{"SRQ(", "from pyverbs.srq import SRQ\n"},
	{"SrqAttr(", "from pyverbs.srq import SrqAttr\n"},
	{"SrqInitAttr(", "from pyverbs.srq import SrqInitAttr\n"},
	{"SrqInitAttrEx(", "from pyverbs.srq import SrqInitAttrEx\n"},
	{"RecvWR(", "from pyverbs.wr import RecvWR\n"},
	{"SGE(", "from pyverbs.wr import SGE\n"},
	{"SendWR(", "from pyverbs.wr import SendWR\n"},
	{"XRCD(", "from pyverbs.xrcd import XRCD, XRCDInitAttr\n"},
	{"RDMATestCase", "from tests.base import RDMATestCase\n"},
	{"PyverbsAPITestCase", "from tests.base import PyverbsAPITestCase\n"},
};

/* Functions of the file, each if the calls use it */
static const char poll_function[] =
	"def poll(cq, count, timeout_ms):\n"
	"    \"\"\"\n"
	"    Poll until count completions have come or the time is over.\n"
	"    :return: The completions\n"
	"    \"\"\"\n"
	"    end = time.monotonic() + timeout_ms / 1000\n"
	"    wcs = []\n"
	"    while len(wcs) < count:\n"
	"        over = time.monotonic() >= end\n"
	"        wcs += cq.poll(count - len(wcs))[1]\n"
	"        if over:\n"
	"            break\n"
	"    return wcs\n\n\n";

static const char pattern_function[] =
	"def pattern(number, start, length):\n"
	"    \"\"\"\n"
	"    Bytes whose every eight tell which pattern they are of, and "
	"where.\n"
	"    :return: The bytes from start on; number 0 is zeros\n"
	"    \"\"\"\n"
	"    data = bytearray()\n"
	"    for word in range(start // 8, (start + length + 7) // 8):\n"
	"        x = 0x1b7e7 << 32 | number << 28 | word & 0xfffffff\n"
	"        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 % 2**64\n"
	"        x = (x ^ x >> 27) * 0x94d049bb133111eb % 2**64\n"
	"        x = (x ^ x >> 31) if number else 0\n"
	"        data += x.to_bytes(8, 'little')\n"
	"    return bytes(data[start % 8:start % 8 + length])\n\n\n";

static const char setup_of_context[] =
	"    def setUp(self):\n"
	"        super().setUp()\n"
	"        self.ctx = d.Context(name=self.dev_name)\n\n"
	"    def tearDown(self):\n"
	"        self.ctx.close()\n"
	"        super().tearDown()\n\n";

/* Returns true if the text has a word that begins so. */
static bool has_word(const char *text, const char *word)
{
	for (const char *at = text; (at = strstr(at, word)); at++)
		if (at == text || (!isalnum((unsigned char)at[-1]) &&
				   at[-1] != '_' && at[-1] != '.'))
			return true;
	return false;
}

static void put_identifier(const char *name, FILE *file)
{
	const char *end = name + strlen(name);

	if (end - name > 4 && !strcmp(end - 4, ".ibv")) {
		const char *slash = strrchr(name, '/');

		name = slash ? slash + 1 : name;
		end -= 4;
	}
	for (; name < end; name++)
		fputc(isalnum((unsigned char)*name)
			      ? tolower((unsigned char)*name)
			      : '_',
		      file);
}

static void put_docstring(const struct program *p, const char *name, FILE *file)
{
	const char *about = p->about[0] ? p->about : name;

	fputs("        \"\"\"\n        ", file);
	for (; *about; about++)
		if (*about == '\n')
			fputs("\n        ", file);
		else
			fputc(*about == '"' || *about == '\\' ? '\'' : *about,
			      file);
	fputs("\n        \"\"\"\n", file);
}

static void put_class(struct python *x, const char *name, const char *calls,
		      FILE *file)
{
	if (has_word(calls, "poll("))
		fputs(poll_function, file);
	if (has_word(calls, "pattern("))
		fputs(pattern_function, file);
	fprintf(file, "class VerbsContractTest(%s):\n%s    def test_",
		x->uses_port ? "RDMATestCase" : "PyverbsAPITestCase",
		x->uses_port ? setup_of_context : "");
	put_identifier(name, file);
	fputs("(self):\n", file);
	put_docstring(x->p, name, file);
	if (has_word(calls, "port."))
		fputs("        port = self.ctx.query_port(self.ib_port)\n",
		      file);
	fputs(calls, file);
}

/* Imports the enumerations from a module. */
static void import_enums(const char *text, const char *tabs, const char *module,
			 FILE *file)
{
	const char *join = " ";
	char word[64];

	fprintf(file, "%sfrom %s import", tabs, module);
	for (int set = 0; set < NS_NR; set++) {
		snprintf(word, sizeof(word), "%s.",
			 py_enums[set] ? py_enums[set] : "");
		if (!py_enums[set] || !has_word(text, word))
			continue;
		fprintf(file, "%s%s", join, py_enums[set]);
		join = ", \\\n        ";
	}
	if (has_word(text, "IBV_LINK_LAYER_ETHERNET"))
		fprintf(file, "%sIBV_LINK_LAYER_ETHERNET", join);
	fputs("\n", file);
}

static bool has_enum(const char *text)
{
	for (int set = 0; set < NS_NR; set++)
		if (py_enums[set] && has_word(text, py_enums[set]))
			return true;
	return has_word(text, "IBV_LINK_LAYER_ETHERNET");
}

static void put_imports(const char *text, FILE *file)
{
	for (size_t i = 0; i < COUNT(imports); i++)
		if (has_word(text, imports[i].word))
			fputs(imports[i].line, file);
	if (!has_enum(text))
		return;
	fputs("try:\n", file);
	import_enums(text, "    ", "pyverbs.libibverbs_enums", file);
	fputs("except ImportError:  # an older rdma-core\n", file);
	import_enums(text, "    ", "pyverbs.enums", file);
}

static void put_calls(struct python *x)
{
	for (unsigned int i = 0; i < x->p->ncalls; i++) {
		x->c = &x->p->call[i];
		py_call(x);
	}
}

/* Prints into memory. Returns NULL if there is none. */
static char *text_of_calls(struct python *x)
{
	char *text = NULL;
	size_t len;

	x->out = open_memstream(&text, &len);
	if (!x->out)
		return NULL;
	put_calls(x);
	if (!fclose(x->out))
		return text;
	free(text);
	return NULL;
}

static char *text_of_class(struct python *x, const char *name,
			   const char *calls)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	put_class(x, name, calls, out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

int prog_export_pyverbs(const struct program *p, const char *name, FILE *file)
{
	struct python x = {.p = p};
	char *calls = prog_ok(p) ? text_of_calls(&x) : NULL;
	char *class = calls ? text_of_class(&x, name, calls) : NULL;

	if (class && !x.refused) {
		fputs("# SPDX-License-Identifier: (GPL-2.0 OR Linux-OpenIB)\n"
		      "\"\"\"\n"
		      "Put it into rdma-core's tests/ as test_NAME.py; then\n"
		      "build/bin/run_tests.py --dev DEVICE -v "
		      "tests.test_NAME\n"
		      "\"\"\"\n",
		      file);
		put_imports(class, file);
		fprintf(file, "\n\n%s", class);
	}
	free(class);
	free(calls);
	if (!class)
		return -ENOMEM;
	return x.refused ? -EOPNOTSUPP : 0;
}

bool pyverbs_can(const struct program *p, char *err, size_t errlen)
{
	struct python x = {.p = p};

	free(text_of_calls(&x));
	if (!x.refused)
		return true;
	return form_refuses(p, x.refused, x.why,
			    in_tree_can(p, err, errlen) ? "kselftest" : "c",
			    err, errlen);
}
