package containers

import (
	"bytes"
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Versions of bgfx files that its loaders take, and the versions that added fields (bgfx_p.h, shaderc_hlsl.cpp).
const (
	bgfxOldest    = 5
	bgfxNewest    = 11
	bgfxTwoHashes = 6
	bgfxTextures  = 8
	bgfxFormats   = 10
)

// isBgfx reports whether data begins with the magic of a vertex or fragment shader of bgfx.
func isBgfx(data []byte) bool {
	return len(data) >= 4 && (data[0] == 'V' || data[0] == 'F') && string(data[1:3]) == "SH" && data[3] <= bgfxNewest
}

// bgfxProgram returns the range of the program in a shader of bgfx. Its size precedes it in a word. The offset of a
// diagnostic is relative to data.
func bgfxProgram(file string, data []byte) (from, to int, diag *asm.Diag) {
	fail := func(at int, code asm.Code, format string, args ...any) (int, int, *asm.Diag) {
		return 0, 0, asm.Errorf(asm.Pos{File: file, Offset: at}, code, format, args...)
	}
	version := data[3]
	if version < bgfxOldest {
		return fail(3, "foreign-format", "this is a shader of bgfx of version %d: compile its source with a shaderc of version 5 or later", version)
	}
	at, fixed := 8, 7 // bytes of a uniform without its name: length, type, number, register, registers
	if version >= bgfxTwoHashes {
		at += 4
	}
	if version >= bgfxTextures {
		fixed += 2
	}
	if version >= bgfxFormats {
		fixed += 2
	}
	if len(data) < at+2 {
		return fail(len(data), "truncated", "the file ends within its header")
	}
	count := int(binary.LittleEndian.Uint16(data[at:]))
	at += 2
	for range count {
		if at >= len(data) || len(data)-at < fixed+int(data[at]) {
			return fail(min(at, len(data)), "truncated", "the file ends within its %d uniforms", count)
		}
		at += fixed + int(data[at])
	}
	if len(data)-at < 4 {
		return fail(at, "truncated", "the file ends before the size of the program")
	}
	size := binary.LittleEndian.Uint32(data[at:])
	if uint64(size) > uint64(len(data)-at-4) {
		return fail(at, "truncated", "a program of %d bytes does not fit into the file", size)
	}
	from, to = at+4, at+4+int(size)
	switch code := data[from:to]; {
	case bytes.HasPrefix(code, []byte("DXBC")):
		return fail(from, "foreign-format", "this is a shader of bgfx for Direct3D 10 or later (DXBC): %s", compileBgfx)
	case !d3d9.IsBytecode(code):
		return fail(from, "foreign-format", "this is a shader of bgfx for another API, such as OpenGL: %s", compileBgfx)
	case len(data)-to != 1 || data[to] != 0:
		return fail(to, "wrong-size", "one zero byte should follow the program, not %d bytes", len(data)-to)
	}
	return from, to, nil
}

const compileBgfx = "compile its source for Direct3D 9 (shaderc --platform windows --profile s_3_0)"

// readBgfx reads a shader of bgfx.
func (c *Container) readBgfx() error {
	c.Form, c.Binary = "a shader of bgfx", true
	from, to, diag := bgfxProgram(c.file, c.data)
	if diag != nil {
		return diag
	}
	p := c.add("program", c.data[from:to:to], c.offset(from))
	c.edits = []edit{{from - 4, to, p, func(data []byte) ([]byte, error) {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), data...), nil
	}}}
	return nil
}
