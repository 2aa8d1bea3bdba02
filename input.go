package shaderlift

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/foreign"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/xnb"
	"github.com/shaderlift/shaderlift/asm/il"
)

// File is a program as bytes. Its name is for diagnostics; what it holds is
// recognised by content.
type File struct {
	Name string
	Data []byte
}

// Input is what one optimization works on: one program, kernel or effect, or the vertex
// and the pixel program of a pair, in this order.
type Input struct {
	// Name is what reports call the input; if empty, the file names tell.
	Name  string
	Files []File
	// Include opens the files that assembly text includes. If it is nil there are none.
	Include d3d9.Opener
}

// Kind is what in is, as far as its content tells.
func (in *Input) Kind() Kind {
	switch {
	case len(in.Files) == 2:
		return KindPair
	case isKernel(*in):
		return KindKernel
	case isEffect(*in):
		return KindEffect
	}
	return KindProgram
}

// Path is the input as the command line spells it: the file names, joined by a comma.
func (in *Input) Path() string {
	names := make([]string, len(in.Files))
	for i, f := range in.Files {
		names[i] = f.Name
	}
	return strings.Join(names, ",")
}

// name is Name, or else what the base names of the files have in common.
func (in *Input) name() string {
	if in.Name != "" || len(in.Files) == 0 {
		return in.Name
	}
	stem := func(f File) string {
		base := filepath.Base(f.Name)
		return strings.TrimSuffix(base, filepath.Ext(base))
	}
	name := stem(in.Files[0])
	for _, f := range in.Files[1:] {
		if s := stem(f); s != name {
			name += "," + s
		}
	}
	return name
}

// Format is a kind of file.
type Format uint8

// The kinds of files.
const (
	Unrecognized Format = iota
	Assembly            // Direct3D 9 assembly text
	Bytecode            // Direct3D 9 bytecode
	Effect              // compiled effect (fx_2_0), alone or in a content file of XNA
	IL                  // AMD IL text
)

var formatNames = [...]string{"unrecognized data", "assembly text", "bytecode", "a compiled effect", "AMD IL text"}

// String says what kind of file f is, as part of a sentence.
func (f Format) String() string { return formatNames[f] }

// Recognize tells from its content what data is. Binary formats are recognized by their first
// bytes; text is AMD IL or Direct3D 9 assembly by its first words.
func Recognize(data []byte) Format {
	switch {
	case d3d9.IsBytecode(data):
		return Bytecode
	case fx.Is(data), fx.Is(xnb.Peek(data)):
		return Effect
	case il.Is(data):
		return IL
	case d3d9.IsText(data):
		return Assembly
	}
	return Unrecognized
}

// isKernel reports whether in is an AMD IL kernel.
func isKernel(in Input) bool { return len(in.Files) == 1 && Recognize(in.Files[0].Data) == IL }

// readKernel reads the kernel of in and checks its form.
func readKernel(in Input) (*il.Kernel, error) {
	return parseKernel(in.Files[0].Name, in.Files[0].Data)
}

func parseKernel(name string, data []byte) (*il.Kernel, error) {
	k, err := il.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if diags := il.Check(k); len(diags) > 0 {
		return nil, diags
	}
	return k, nil
}

// read reads the programs of in, which is neither a kernel nor an effect, and checks that two
// programs are a pair. Diagnostics of both files are collected.
func read(in Input) ([]*d3d9.Program, error) {
	switch len(in.Files) {
	case 1, 2:
	default:
		return nil, asm.Errorf(asm.Pos{}, "wrong-input", "an input is one program or a pair, not %d files", len(in.Files))
	}
	var programs []*d3d9.Program
	var diags asm.Diags
	for _, f := range in.Files {
		p, err := readProgramWith(f, in.Include)
		if err != nil {
			diags = append(diags, diagsOf(err)...)
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

func readProgram(f File) (*d3d9.Program, error) { return readProgramWith(f, nil) }

func readProgramWith(f File, include d3d9.Opener) (*d3d9.Program, error) {
	pos := asm.Pos{File: f.Name, Line: 1, Col: 1}
	switch format := Recognize(f.Data); format {
	case Effect:
		return nil, asm.Errorf(pos, "wrong-input", "this is %s, which is an input by itself, of opt, stats and verify", format)
	case IL:
		return nil, asm.Errorf(pos, "wrong-pair", "this is a kernel, which is an input by itself")
	case Unrecognized:
		if len(f.Data) == 0 {
			return nil, asm.Errorf(pos, "empty-input", "there is nothing in this file")
		}
		if err := foreign.Check(f.Name, f.Data); err != nil {
			return nil, err
		}
		if strings.IndexByte(string(f.Data), 0) >= 0 {
			return nil, asm.Errorf(pos, "unknown-format", "neither bytecode nor assembly text of Direct3D 9, nor AMD IL")
		}
	}
	p, err := d3d9.ReadWith(f.Name, f.Data, include)
	// Another language looks like assembly where all but comments is missing, or a version is later.
	if d := (*asm.Diag)(nil); errors.As(err, &d) && (d.Code == "no-version" || d.Code == "unknown-version") {
		if other := foreign.Check(f.Name, f.Data); other != nil {
			return nil, other
		}
	}
	if err != nil {
		if other := foreign.CheckListing(f.Name, f.Data); other != nil {
			return nil, other
		}
	}
	return p, err
}

// checkPair refuses two programs that are not a vertex and a pixel program.
func checkPair(in Input, programs []*d3d9.Program) error {
	pos := asm.Pos{File: in.Files[0].Name, Line: 1, Col: 1}
	switch vs, ps := programs[0].Model, programs[1].Model; {
	case vs.Stage == d3d9.Vertex && ps.Stage == d3d9.Pixel:
		return nil
	case vs.Stage == d3d9.Pixel && ps.Stage == d3d9.Vertex:
		return asm.Errorf(pos, "wrong-pair", "a pair is VERTEX,PIXEL: swap %s (%s) and %s (%s)", asm.Shown(in.Files[0].Name), vs, asm.Shown(in.Files[1].Name), ps)
	default:
		return asm.Errorf(pos, "wrong-pair", "a pair is a vertex and a pixel program, not two %s programs (%s and %s)", vs.Stage, vs, ps)
	}
}

// diagsOf is err as diagnostics.
func diagsOf(err error) asm.Diags {
	switch err := err.(type) {
	case asm.Diags:
		return err
	case *asm.Diag:
		return asm.Diags{err}
	}
	return asm.Diags{asm.Errorf(asm.Pos{}, "error", "%v", err)}
}
