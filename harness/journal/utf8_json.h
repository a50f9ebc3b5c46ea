/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * JSON strings of texts that may be no UTF-8.
 */
#ifndef IBVET_UTF8_JSON_H
#define IBVET_UTF8_JSON_H

#include <jansson.h>

/* Makes a JSON string, or returns NULL for NULL. In a text that is not UTF-8,
 * '?' stands for each byte that is not ASCII. */
json_t *utf8_json(const char *text);

#endif
