package opt

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/il"
)

// File is a program as bytes. Its name is for diagnostics; its format is recognised by content.
type File struct {
	Name string
	Data []byte
}

// Input is the unit of one optimization: a program, kernel or effect, or the vertex and the pixel
// program of a pair, in this order.
type Input struct {
	// Name is the name of the input in reports; if empty, it comes from the file names.
	Name  string
	Files []File
	// Include opens the files that assembly text includes. If it is nil, no file can be included.
	Include d3d9.Opener
}

// Kind returns the kind of in according to its content.
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

// Path returns the input as on the command line: the file names, joined by commas.
func (in *Input) Path() string { return strings.Join(in.fileNames(), ",") }

func (in *Input) fileNames() []string {
	names := make([]string, len(in.Files))
	for i, f := range in.Files {
		names[i] = f.Name
	}
	return names
}

// displayName returns Name, or else the distinct base names of the files.
func (in *Input) displayName() string {
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

// String names the format, as part of a sentence.
func (f Format) String() string { return formatNames[f] }

// Recognize returns the format of data. It recognizes binary formats by their first bytes, and AMD IL
// or Direct3D 9 assembly by the first words.
func Recognize(data []byte) Format {
	switch {
	case d3d9.IsBytecode(data):
		return Bytecode
	case fx.IsEffect(data), fx.IsEffect(containers.Peek(data)):
		return Effect
	case il.IsKernel(data):
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

// readPrograms reads the programs of in, which is neither a kernel nor an effect, and checks that two
// programs are a pair. Diagnostics of both files are collected.
func readPrograms(in Input) ([]*d3d9.Program, error) {
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
		return nil, asm.Errorf(pos, "wrong-input", "this is %s; give it alone, to opt, stats or verify", format)
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

// diagsOf converts err to diagnostics.
func diagsOf(err error) asm.Diags {
	switch err := err.(type) {
	case asm.Diags:
		return err
	case *asm.Diag:
		return asm.Diags{err}
	}
	return asm.Diags{asm.Errorf(asm.Pos{}, "error", "%v", err)}
}
