package input

import (
	"errors"
	"regexp"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// ReadKernel reads the kernel of in and checks its form.
func ReadKernel(in Input) (*il.Kernel, error) {
	return ParseKernel(in.Files[0].Name, in.Files[0].Data)
}

// ParseKernel parses an AMD IL kernel and checks its form.
func ParseKernel(name string, data []byte) (*il.Kernel, error) {
	k, err := il.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if diags := il.Check(k); len(diags) > 0 {
		return nil, diags
	}
	return k, nil
}

// ReadPrograms reads the programs of in, which is neither a kernel nor an effect, and checks that two
// programs are a pair. Diagnostics of both files are collected.
func ReadPrograms(in Input) ([]*d3d9.Program, error) {
	switch len(in.Files) {
	case 1, 2:
	default:
		return nil, asm.Errorf(asm.Pos{}, "wrong-input", "an input is one program or a pair, not %d files", len(in.Files))
	}
	var programs []*d3d9.Program
	var diags asm.Diags
	for _, f := range in.Files {
		p, err := ReadProgramWith(f, in.Include)
		if err != nil {
			diags = append(diags, DiagsOf(err)...)
			continue
		}
		programs = append(programs, p)
	}
	if len(diags) > 0 {
		return nil, diags
	}
	if len(programs) == 2 {
		if err := checkPair(in, programs); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

// ReadProgram reads a Direct3D 9 program that includes no files.
func ReadProgram(f File) (*d3d9.Program, error) { return ReadProgramWith(f, nil) }

// begin matches the beginning of a text up to its first word, and maxSniffed bounds how much of a text is searched.
const (
	begin      = `^(?:\s|(?:;|//)[^\n]*\n)*`
	maxSniffed = 1 << 16
)

// unversioned are listings without a version, as papers and forums print them, and how to make programs of them.
var unversioned = []struct {
	pattern *regexp.Regexp
	advice  string
}{
	{regexp.MustCompile(begin + `asm\s*\{`), "an asm block of an effect: write the lines between { and } to a file of their own"},
	{regexp.MustCompile(begin + `il_[a-z]`), "AMD IL of another stage or version: only il_ps_2_0 and il_cs_2_0 are read"},
	{regexp.MustCompile(`(?m)^\s*(dcl_(input|output|resource_id|literal|cb)\b|sample_resource\()`),
		"AMD IL without a version: add il_ps_2_0 or il_cs_2_0 as the first line"},
	{regexp.MustCompile(`(?m)^\s*[a-z]\w*\s+oPos\b`),
		"a vertex program without a version: add its version as the first line, vs_2_0 if it is unknown"},
	{regexp.MustCompile(`(?m)^\s*[a-z]\w*\s+oC[0-3]\b`),
		"a pixel program without a version: add its version as the first line, ps_2_0 if it is unknown"},
}

// ReadProgramWith reads a Direct3D 9 program, with the included files of a text from include.
func ReadProgramWith(f File, include d3d9.Opener) (*d3d9.Program, error) {
	pos := asm.Pos{File: f.Name, Line: 1, Col: 1}
	switch format := Recognize(f.Data); format {
	case Effect:
		return nil, asm.Errorf(pos, "wrong-input",
			"this is %s; give it alone to opt, stats, dis, run, explain or verify, or take a pass out of it with shaderlift dis --pass", format)
	case IL:
		return nil, asm.Errorf(pos, "wrong-pair", "this is a kernel; give it alone, not as part of a pair")
	case Unrecognized:
		if len(f.Data) == 0 {
			return nil, asm.Errorf(pos, "empty-input", "the file is empty")
		}
		if err := containers.CheckForeign(f.Name, f.Data); err != nil {
			return nil, err
		}
		if strings.IndexByte(string(f.Data), 0) >= 0 {
			return nil, asm.Errorf(pos, "unknown-format", "the file is neither Direct3D 9 bytecode or assembly text nor AMD IL")
		}
	}
	p, err := d3d9.ReadWith(f.Name, f.Data, include)
	// Source text in another language can look like assembly without statements or with an unknown
	// version.
	if d := (*asm.Diag)(nil); errors.As(err, &d) && (d.Code == "no-version" || d.Code == "unknown-version") {
		if other := containers.CheckForeign(f.Name, f.Data); other != nil {
			return nil, other
		}
		head := f.Data[:min(len(f.Data), maxSniffed)]
		for _, l := range unversioned {
			if d.Code == "no-version" && l.pattern.Match(head) {
				return nil, asm.Errorf(d.Pos, d.Code, "this is %s", l.advice)
			}
		}
	}
	if err != nil {
		if other := containers.CheckForeignListing(f.Name, f.Data); other != nil {
			return nil, other
		}
	}
	return p, err
}

// checkPair rejects two programs that are not a vertex and a pixel program.
func checkPair(in Input, programs []*d3d9.Program) error {
	pos := asm.Pos{File: in.Files[0].Name, Line: 1, Col: 1}
	switch vs, ps := programs[0].Model, programs[1].Model; {
	case vs.Stage == d3d9.Vertex && ps.Stage == d3d9.Pixel:
		return nil
	case vs.Stage == d3d9.Pixel && ps.Stage == d3d9.Vertex:
		return asm.Errorf(pos, "wrong-pair", "a pair is VERTEX,PIXEL; swap %s (%s) and %s (%s)",
			asm.Shown(in.Files[0].Name), vs, asm.Shown(in.Files[1].Name), ps)
	default:
		return asm.Errorf(pos, "wrong-pair", "a pair is a vertex and a pixel program, not two %s programs (%s and %s)",
			vs.Stage, vs, ps)
	}
}

// DiagsOf converts err to diagnostics.
func DiagsOf(err error) asm.Diags {
	switch err := err.(type) {
	case asm.Diags:
		return err
	case *asm.Diag:
		return asm.Diags{err}
	}
	return asm.Diags{asm.Errorf(asm.Pos{}, "error", "%v", err)}
}
