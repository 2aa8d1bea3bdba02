package containers

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// outputs are functions of HLSL whose result has a semantic that only a shader's output has: the name and the
// semantic.
var outputs = regexp.MustCompile(
	`(?i)\b(\w+)\s*\([^{};]*\)\s*:\s*(COLOR\d*|SV_TARGET\d*|DEPTH|POSITION\d*|SV_POSITION)\s*\{`)

// structs are the results of functions that return a structure: its type and the name of the function.
var structs = regexp.MustCompile(`\b([A-Za-z_]\w*)\s+(\w+)\s*\([^{};]*\)\s*\{`)

// position matches the member of a structure that only outputs of vertex shaders have.
var position = regexp.MustCompile(`(?i):\s*(SV_)?POSITION\d*\s*;`)

// GuessHLSL returns the function and the profile with which to compile a text of HLSL. An entry that is given
// stays. The stage follows from the function's results, or else from the name of the file.
func GuessHLSL(file string, text []byte, entry string) (function, profile string) {
	text = text[:min(len(text), maxSniffed)]
	stages := map[string]string{}
	first := ""
	for _, m := range outputs.FindAllSubmatch(text, -1) {
		name, stage := string(m[1]), "ps_3_0"
		if strings.Contains(strings.ToUpper(string(m[2])), "POSITION") {
			stage = "vs_3_0"
		}
		if stages[name] = stage; first == "" || stages[first] == "vs_3_0" && stage == "ps_3_0" {
			first = name
		}
	}
	for _, m := range structs.FindAllSubmatch(text, -1) {
		_, body, found := bytes.Cut(text, append([]byte("struct "), m[1]...))
		if body, _, closed := bytes.Cut(body, []byte("}")); found && closed && stages[string(m[2])] == "" {
			if stages[string(m[2])] = "ps_3_0"; position.Match(body) {
				stages[string(m[2])] = "vs_3_0"
			}
		}
	}
	switch {
	case entry != "":
	case stages["main"] != "" || first == "":
		entry = "main"
	default:
		entry = first
	}
	if stages[entry] != "" {
		return entry, stages[entry]
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".vsh", ".vs", ".vert", ".vp", ".vshader":
		return entry, "vs_3_0"
	}
	return entry, "ps_3_0"
}

// CompiledName returns the name of the program that is compiled from a source file for profile.
func CompiledName(file, profile string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + "." + profile[:2] + "o"
}

// The ways from a source to a program that can be read.
const (
	wayHLSL = "HLSL source"
	wayFX   = "the source of an effect (HLSL)"
	wayGLSL = "GLSL source"
)

// Way returns the commands that turn a source file of HLSL into a program that fits, or the empty string for other
// languages. data is the text.
func Way(file string, data []byte) string {
	switch sourceLanguage(data) {
	case wayHLSL:
		entry, profile := GuessHLSL(file, data, "")
		out := quoted(CompiledName(file, profile))
		pair := "VERTEX," + out
		if profile[0] == 'v' {
			pair = out + ",PIXEL"
		}
		return fmt.Sprintf("build it with fxc /T %s /E %s /Fo %s %s, then run shaderlift opt --fit ps_2_0 %s", profile, entry,
			out, quoted(file), pair)
	case wayFX:
		out := quoted(strings.TrimSuffix(file, filepath.Ext(file)) + ".fxb")
		return fmt.Sprintf("build it with fxc /T fx_2_0 /Fo %s %s, then run shaderlift opt --fit ps_2_0 %s", out,
			quoted(file), out)
	}
	return ""
}

// IsHLSL reports whether data is the text of shaders in HLSL, but not of an effect.
func IsHLSL(data []byte) bool { return sourceLanguage(data) == wayHLSL }

// quoted returns a file's name as a word of a command line.
func quoted(name string) string {
	if name = asm.Shown(name); strings.ContainsAny(name, " '&;()$`|<>*?") {
		return strconv.Quote(name)
	}
	return name
}
