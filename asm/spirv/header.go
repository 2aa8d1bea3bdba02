package spirv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// idsComment starts the comments with the numbers of named ids.
const idsComment = "; Ids:"

// header returns the comments that state the fields of the header, as spirv-dis prints them. The byte order follows if
// it is not the usual one.
func (m *Module) header() string {
	tool := ""
	if n := int(m.Generator >> 16); n < len(tools) {
		tool = tools[n]
	}
	if tool == "" {
		tool = fmt.Sprintf("Unknown(%d)", m.Generator>>16)
	}
	text := fmt.Sprintf("; SPIR-V\n; Version: %d.%d\n; Generator: %s; %d\n; Bound: %d\n; Schema: %d\n",
		m.Version>>16&0xff, m.Version>>8&0xff, tool, m.Generator&(1<<16-1), m.Bound, m.Schema)
	if m.BigEndian {
		text += "; Byte order: big-endian\n"
	}
	return text
}

// readHeader sets the field of the header that a comment states, if it states one.
func (m *Module) readHeader(comment string) {
	name, value, ok := strings.Cut(strings.TrimPrefix(comment, "; "), ": ")
	if !ok {
		return
	}
	number := func(s string) uint32 {
		n, _ := strconv.ParseUint(s, 10, 32)
		return uint32(n)
	}
	switch name {
	case "Version":
		major, minor, _ := strings.Cut(value, ".")
		m.Version = number(major)&0xff<<16 | number(minor)&0xff<<8
	case "Generator":
		tool, version, _ := strings.Cut(value, "; ")
		n := slices.Index(tools[:], tool)
		if n < 0 {
			n = int(number(strings.TrimSuffix(strings.TrimPrefix(tool, "Unknown("), ")")))
		}
		m.Generator = uint32(n)<<16 | number(version)&(1<<16-1)
	case "Bound":
		m.Bound = number(value)
	case "Schema":
		m.Schema = number(value)
	case "Byte order":
		m.BigEndian = value == "big-endian"
	}
}
