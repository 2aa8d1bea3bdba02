package containers

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Advice for a shader in another format.
const (
	recompile     = "compile its source for Direct3D 9 (fxc /T vs_3_0, ps_3_0 or fx_2_0)"
	compileHLSL   = "" // see Way
	recompileXbox = "compile its source for Windows (fxc /T vs_3_0, ps_3_0 or fx_2_0)"
	noWay         = "only Direct3D 9 programs, AMD IL kernels and SPIR-V modules are supported"
	oneModule     = "give the module to the command as a file of its own"
	compileCg     = "compile its Cg source for Direct3D 9 (cgc -profile vs_2_0 or ps_2_0)"
)

// magics are the first bytes of shader formats that this program does not read.
var magics = []struct{ magic, name, advice string }{
	{"DXBC", "a shader of Direct3D 10 or later (DXBC)", recompile},
	{"\x01\x10\xff\xfe", "a compiled effect of Direct3D 10 (fx_4_0)", recompile},
	{"\x11\x10\xff\xfe", "a compiled effect of Direct3D 10 (fx_4_1)", recompile},
	{"\x01\x20\xff\xfe", "a compiled effect of Direct3D 11 (fx_5_0)", recompile},
	{"MGFX", "a compiled effect of MonoGame (MGFX), which contains GLSL or DXBC",
		"compile its source for XNA or FNA (fxc /T fx_2_0)"},
	{"\xbc\xf0\x0b\xcf", "a compiled effect for the Xbox 360", recompileXbox},
	{"\xfe\xff\x09\x01", "a compiled effect for the Xbox 360", recompileXbox},
	{"\x10\x2a\x11\x00", "a pixel program for the Xbox 360", recompileXbox},
	{"\x10\x2a\x11\x01", "a vertex program for the Xbox 360", recompileXbox},
	{"\x00\x00\x1b\x5b", "a vertex program for the PlayStation 3", compileCg},
	{"\x00\x00\x1b\x5c", "a fragment program for the PlayStation 3", compileCg},
	{"vcs2", "a shader file of Source 2", noWay},
	{"rgxa", "a shader file of RAGE (GTA IV)", "extract its programs first, for example with HlslDecompiler"},
	{"rgxe", "a shader file of RAGE (GTA V), which contains DXBC", noWay},
	{"\x03\x02\x23\x07", "SPIR-V", oneModule},
	{"\x07\x23\x02\x03", "SPIR-V (big-endian)", oneModule},
	{"BC\xc0\xde", "LLVM bitcode", noWay},
	{"MTLB", "a library of Metal", noWay},
	{"\x7fELF", "an ELF image", noWay},
	{"PK\x03\x04", "a ZIP archive", "unpack it first"},
	{"\xff\xfe", "text in UTF-16, as PowerShell writes it", "save it as UTF-8"},
	{"\xfe\xff", "text in UTF-16 (big-endian)", "save it as UTF-8"},
	{"!!ARB", "assembly of ARB_vertex_program or ARB_fragment_program", compileCg},
	{"!!NV", "assembly of an NV_gpu_program", compileCg},
	{"!!VP", "assembly of NV_vertex_program", compileCg},
	{"!!FP", "assembly of NV_fragment_program", compileCg},
}

// texts are patterns that identify source languages.
var texts = []struct {
	pattern      *regexp.Regexp
	name, advice string
}{
	{regexp.MustCompile(`(?m)^\s*#version\s+\d|\bgl_(Position|FragColor|FragCoord)\b`), wayGLSL, "convert it to HLSL (glslangValidator -V, spirv-cross --hlsl --shader-model 30), build that with fxc /T ps_3_0 or vs_3_0 /Fo OUT, then run shaderlift opt --fit ps_2_0 on the pair"},
	{regexp.MustCompile(`<metal_stdlib>|\busing namespace metal\b`), "Metal source", noWay},
	{regexp.MustCompile(`\b__kernel\s+void\b|\bkernel\s+void\s+\w+\s*\([^)]*\b(__)?global\b`), "OpenCL source",
		"compile it to AMD IL with AMD's OpenCL for those GPUs, which writes it if GPU_DUMP_DEVICE_KERNEL=1 is set, then run shaderlift opt on that"},
	{regexp.MustCompile(`(?m)^\s*[vpgcdh]s_[4-6]_\d`), "assembly of Direct3D 10 or later", recompile},
	{regexp.MustCompile(`\btechnique(10|11)?\s*\w*\s*(<[^>]*>\s*)?\{|\bsampler_state\b`),
		wayFX, compileHLSL},
	{regexp.MustCompile(`\b(float|half)[1-4](x[1-4])?\s+\w+[^;{}]*[({:]|:\s*(SV_\w+|POSITION\d*|TEXCOORD\d*|COLOR\d*)\b`), wayHLSL, compileHLSL},
	// Declarations alone, as in a file that others include.
	{regexp.MustCompile(`\b(float|half)[1-4](x[1-4])?\s+\w+\s*(\[\w*\]\s*)?[;=]|(?m)^\s*(sampler(1D|2D|3D|CUBE)?|[Tt]exture(1D|2D|3D|C[Uu][Bb][Ee])?)\s+\w+\s*(:\s*register\s*\(\w+\)\s*)?;|^\s*cbuffer\s+\w+`), wayHLSL, compileHLSL},
	{regexp.MustCompile(`\bconst\s+(DWORD|BYTE|unsigned\s+\w+|uint32_t)\s+\w+\s*\[\]\s*=`),
		"a C header without a Direct3D 9 program in plain numbers", "give the program itself (fxc /Fo), or its text without the #if"},
	{regexp.MustCompile(`(?m)^\s*preshader\s*$`), "a listing with a preshader, which has no assembly syntax",
		"give the compiled program or effect"},
	{regexp.MustCompile(`@(vertex|fragment|compute)\b[^;]*\bfn\b`), "WGSL source", noWay},
	{regexp.MustCompile(`\b__global__\s+void\b`), "CUDA source", noWay},
	{regexp.MustCompile(`(?m)^\.version\s+\d+\.\d+\s*\n\s*\.target\s+sm_`), "PTX", noWay},
	{regexp.MustCompile(`(?m)^(define|declare)\s[^;\n]*@[\w."]+\(|^target triple\s*=`), "LLVM IR as text", noWay},
	{regexp.MustCompile(`(?m)^;\s*SPIR-V\b|\bOpCapability\s+\w`), "SPIR-V as text", oneModule},
}

// maxSniffed bounds how much of a text is searched.
const maxSniffed = 1 << 16

// CheckForeign returns a diagnostic with advice if data has a format that the package only recognizes, and
// nil for all other data.
func CheckForeign(file string, data []byte) error {
	pos := asm.Pos{File: file, Line: 1, Col: 1}
	var c *Container
	var err error
	if isVCS(data) {
		c = newContainer(file, data)
		err = c.checkVCS()
	} else {
		c, err = openOther(file, data)
	}
	switch {
	case err != nil:
		return err
	case c != nil:
		return asm.Errorf(pos, "container",
			"this is %s, not a program: give it to the command as a file, or read it with containers.Open", c.Form)
	}
	if hasLevel9(data) {
		return asm.Errorf(pos, "foreign-format",
			"this is a program for feature level 9 of Direct3D 11 (DXBC with a part for Direct3D 9, Aon9): %s", recompile)
	}
	for _, m := range magics {
		if strings.HasPrefix(string(data[:min(len(data), 8)]), m.magic) {
			return asm.Errorf(pos, "foreign-format", "this is %s: %s", m.name, m.advice)
		}
	}
	if IsContentFile(data) {
		content, err := Decode(file, data)
		if err != nil {
			return err
		}
		file += ":effect"
		if err := CheckForeign(file, content.Effect); err != nil {
			return err
		}
		return asm.Errorf(asm.Pos{File: file, Line: 1, Col: 1}, "unknown-format",
			"the file is not a compiled effect of Direct3D 9")
	}
	name, advice := language(data)
	if name == "" {
		return nil
	}
	if advice == compileHLSL {
		if advice = Way(file, data); name == wayHLSL {
			advice += "; --compile builds it with vkd3d-compiler"
		}
	}
	return asm.Errorf(pos, "foreign-format", "this is %s: %s", name, advice)
}

// language returns the name of the language of a text, and advice; the name is empty if it is not known.
func language(data []byte) (name, advice string) {
	text := data[:min(len(data), maxSniffed)]
	if bytes.IndexByte(text, 0) >= 0 {
		return "", ""
	}
	for _, t := range texts {
		if t.pattern.Match(text) {
			return t.name, t.advice
		}
	}
	return "", ""
}

func sourceLanguage(data []byte) string { name, _ := language(data); return name }

// hasLevel9 reports whether a DXBC container also has Direct3D 9 bytecode, as (vs|ps)_4_0_level_9_*
// have. The header of 28 bytes precedes the number of chunks and their offsets. A chunk begins with
// its name.
func hasLevel9(data []byte) bool {
	const header = 28
	if !bytes.HasPrefix(data, []byte("DXBC")) || len(data) < header+4 {
		return false
	}
	chunks := data[header+4:]
	for n := binary.LittleEndian.Uint32(data[header:]); n > 0 && len(chunks) >= 4; n-- {
		at := uint64(binary.LittleEndian.Uint32(chunks))
		if at+4 <= uint64(len(data)) && string(data[at:at+4]) == "Aon9" {
			return true
		}
		chunks = chunks[4:]
	}
	return false
}

// level9 matches the line that fxc writes above the Direct3D 9 program in a listing for feature
// level 9.
var level9 = regexp.MustCompile(`(?m)^//\s*Level9 shader bytecode:`)

// CheckForeignListing returns a diagnostic for an fxc listing that has a program for Direct3D 9 and then
// the same program for Direct3D 10. Without this check, the parser would report the second program
// as bad syntax.
func CheckForeignListing(file string, data []byte) error {
	text := data[:min(len(data), maxSniffed)]
	at := level9.FindIndex(text)
	if at == nil {
		return nil
	}
	line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
	return asm.Errorf(asm.Pos{File: file, Line: line, Col: 1}, "foreign-format",
		"the listing contains a program for feature level 9 of Direct3D 11 twice, for Direct3D 9 and for Direct3D 10: give only the first one, or %s", recompile)
}
