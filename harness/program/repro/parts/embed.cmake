# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Writes OUT, a C file that compiles PARTS and has their text as the string
# repro_parts.
set(bytes "")
set(text "/* Made from the parts of reproducers by the build. */\n#define _GNU_SOURCE\n")
foreach(part IN LISTS PARTS)
	file(READ ${part} hex HEX)
	string(APPEND bytes ${hex})
	if(part MATCHES "\\.h$")
		string(APPEND text "#include \"${part}\"\n")
	endif()
endforeach()
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT} "${text}extern const char repro_parts[];
const char repro_parts[] = {${bytes}0};
")
