package containers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Patterns of the compiled ShaderLab text of Unity 3 and 4. Newer exporters add a tier to the name of the platform.
var (
	unityProgram  = regexp.MustCompile(`SubProgram\s+"d3d9[^"\n]*"\s*\{`)
	unityPass     = regexp.MustCompile(`(?m)^\s*Pass\s*\{`)
	unityStage    = regexp.MustCompile(`(?m)^\s*Program\s+"(vp|fp)"\s*\{`)
	unityKeyword  = regexp.MustCompile(`"([^"]*)"`)
	unityText     = regexp.MustCompile(`(?m)^[ \t]*("|\}|GpuProgramIndex\b)`)
	unityKeywords = regexp.MustCompile(`(?m)^[ \t]*Keywords\s*\{([^}\n]*)\}`)
)

// vertexLight is the keyword of vertex programs that share the fragment program of the set without it.
const vertexLight = "VERTEXLIGHT_ON"

// readUnity reads the Direct3D 9 programs of compiled ShaderLab text. A program without bytecode or text is noted.
func (c *Container) readUnity() {
	c.Form = "compiled ShaderLab text of Unity"
	passes, stages := unityPass.FindAllIndex(c.data, -1), unityStage.FindAllSubmatchIndex(c.data, -1)
	before := func(list [][]int, at int) int {
		return sort.Search(len(list), func(i int) bool { return list[i][0] > at })
	}
	var sets [2][]string // groups of the programs of each stage
	var keys []string
	found := unityProgram.FindAllIndex(c.data, -1)
	for i, m := range found {
		limit := len(c.data)
		if i+1 < len(found) {
			limit = found[i+1][0]
		}
		head := unityText.FindSubmatchIndex(c.data[m[1]:limit])
		if head == nil {
			c.note(c.position(m[0]), "truncated", "the sub-program has no end")
			continue
		}
		from := m[1] + head[3]
		switch mark := c.data[m[1]+head[2]]; {
		case mark == 'G':
			c.note(c.position(m[0]), "foreign-format",
				"the sub-program is in another part of the asset (GpuProgramIndex): export the shader with AssetStudio")
			continue
		case mark == '}':
			continue // empty
		}
		size := bytes.IndexByte(c.data[from:limit], '"')
		if size < 0 {
			c.note(c.position(from), "truncated", "the text of the sub-program has no end")
			continue
		}
		text := c.data[from : from+size]
		model, ok := d3d9.PeekModel(text)
		if !ok {
			c.note(c.position(from), "foreign-format", "the sub-program has no assembly for Direct3D 9: %s", recompile)
			continue
		}
		pass, stage := before(passes, m[0]), "vp"
		if i := before(stages, m[0]); i > 0 {
			stage = string(c.data[stages[i-1][2]:stages[i-1][3]])
		}
		var keywords []string
		if set := unityKeywords.FindSubmatch(c.data[m[1]:from]); set != nil {
			for _, k := range unityKeyword.FindAllSubmatch(set[1], -1) {
				keywords = append(keywords, string(k[1]))
			}
		}
		slices.Sort(keywords)
		name := fmt.Sprintf("pass%d.%s", pass, stage)
		p := c.add(strings.Join(append([]string{name}, keywords...), "."), text[:size:size], c.position(from))
		p.group = fmt.Sprintf("%d %s", pass, strings.Join(keywords, " "))
		sets[model.Stage] = append(sets[model.Stage], p.group)
		keys = append(keys, fmt.Sprintf("%d %s", pass, strings.Join(slices.DeleteFunc(keywords,
			func(k string) bool { return k == vertexLight }), " ")))
		c.edits = append(c.edits, edit{from, from + size, p, unityQuoted(p)})
	}
	// A vertex program for vertex lights is drawn with the fragment program of the other keywords. These three programs
	// then form no pair.
	fragments := map[string]bool{}
	for _, g := range sets[d3d9.Pixel] {
		fragments[g] = true
	}
	for i, p := range c.Programs {
		if !fragments[p.group] {
			p.group = keys[i]
		}
	}
	if _, n := prefixedSize(c.data); n > 0 {
		c.finish = func(out []byte) []byte {
			return append(binary.AppendUvarint(nil, uint64(len(out)-n)), out[n:]...)
		}
	}
}

// unityQuoted returns a function that checks the text of a program, which stands between quotes.
func unityQuoted(p *Program) func([]byte) ([]byte, error) {
	return func(text []byte) ([]byte, error) {
		if _, ok := d3d9.PeekModel(text); !ok || d3d9.IsBytecode(text) || bytes.ContainsAny(text, `"\`) {
			return nil, asm.Errorf(p.Pos, "no-room", "program %s must be assembly text without quotes and backslashes", p.Names[0])
		}
		return text, nil
	}
}

// prefixedSize returns the size that precedes data as the prefix of a string of .NET, and the length of the prefix, or
// 0 if data has none. A prefix of one byte could be the first letter of the text.
func prefixedSize(data []byte) (size uint64, n int) {
	if size, n = binary.Uvarint(data[:min(len(data), 5)]); n <= 1 || size != uint64(len(data)-n) {
		return 0, 0
	}
	return size, n
}
