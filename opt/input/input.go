// Package input reads the inputs of a run: programs, pairs, kernels and effects, as text or bytes, and the
// promises of the application about constants and draws.
package input

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/naming"
)

// File is a program as bytes. Its name is for diagnostics; its format is recognised by content.
type File struct {
	Name string
	Data []byte
}

// Input is the unit of one optimization: a program, kernel, effect or SPIR-V module, or the vertex and the pixel
// program of a pair, in this order.
type Input struct {
	// Name is the name of the input in reports; if empty, it comes from the file names.
	Name  string
	Files []File
	// Include opens the files that assembly text includes. If it is nil, no file can be included.
	Include d3d9.Opener
}

// ReadFiles reads the files of an input: a program, kernel or effect, or a vertex and a pixel program.
func ReadFiles(names ...string) (in Input, err error) {
	in.Files = make([]File, len(names))
	for i, name := range names {
		data, failed := os.ReadFile(name)
		in.Files[i], err = File{Name: name, Data: data}, cmp.Or(err, failed)
	}
	return in, err
}

// Kind returns the kind of in according to its content.
func (in *Input) Kind() Kind {
	switch {
	case asm.BuiltSPIRV && slices.ContainsFunc(in.Files, isModule):
		return KindModule
	case len(in.Files) == 2:
		return KindPair
	case len(in.Files) != 1:
		return KindProgram
	}
	switch Recognize(in.Files[0].Data) {
	case IL:
		return KindKernel
	case Effect:
		return KindEffect
	}
	return KindProgram
}

// Path returns the input as on the command line: the file names, joined by commas.
func (in *Input) Path() string { return strings.Join(in.FileNames(), ",") }

// FileNames returns the names of the files of in.
func (in *Input) FileNames() []string {
	names := make([]string, len(in.Files))
	for i, f := range in.Files {
		names[i] = f.Name
	}
	return names
}

// Key returns a string that is equal for inputs with the same programs.
func (in *Input) Key() string {
	var b strings.Builder
	for _, f := range in.Files {
		fmt.Fprintf(&b, "%d:%s", len(f.Data), f.Data)
	}
	return b.String()
}

// DisplayName returns Name, or else the distinct base names of the files.
func (in *Input) DisplayName() string {
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

// StageOf returns the stage of the program in a file of in, or "" if that is ambiguous.
func (in *Input) StageOf(file string) string {
	if len(in.Files) != 2 || in.Files[0].Name == in.Files[1].Name {
		return ""
	}
	for stage, f := range in.Files {
		if f.Name == file {
			return d3d9.Stage(stage).String()
		}
	}
	return ""
}

// Kind is the kind of an input.
type Kind uint8

// The kinds of inputs.
const (
	KindProgram Kind = iota // one Direct3D 9 program
	KindPair                // the vertex and the pixel program of a draw
	KindKernel              // an AMD IL kernel
	KindEffect              // a compiled effect
	KindModule              // a SPIR-V module, or a vertex and a fragment module
)

var kindNames = []string{"program", "pair", "kernel", "effect", "module"}

// String returns the name of k in reports.
func (k Kind) String() string { return naming.String(kindNames, k) }

// MarshalText writes the name of k.
func (k Kind) MarshalText() ([]byte, error) { return naming.Marshal(kindNames, k) }

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error { return naming.Unmarshal(kindNames, k, text, "kind") }

// Format is a kind of file.
type Format uint8

// The kinds of files.
const (
	Unrecognized Format = iota
	Assembly            // Direct3D 9 assembly text
	Bytecode            // Direct3D 9 bytecode
	Effect              // compiled effect (fx_2_0), alone or in a content file of XNA
	IL                  // AMD IL text
	SPIRV               // SPIR-V module
	SPIRVText           // SPIR-V assembly text
)

var formatNames = [...]string{"unrecognized data", "assembly text", "bytecode", "a compiled effect", "AMD IL text", "a SPIR-V module",
	"SPIR-V assembly text"}

// String names the format, as part of a sentence.
func (f Format) String() string { return formatNames[f] }

// Recognize returns the format of data. It recognizes binary formats by their first bytes, and AMD IL, SPIR-V or
// Direct3D 9 assembly by the first words.
func Recognize(data []byte) Format {
	switch {
	case asm.BuiltSPIRV && spirv.IsModule(data):
		return SPIRV
	case d3d9.IsBytecode(data):
		return Bytecode
	case fx.IsEffect(data), fx.IsEffect(containers.Peek(data)):
		return Effect
	case il.IsKernel(data):
		return IL
	case d3d9.IsText(data):
		return Assembly
	case asm.BuiltSPIRV && spirv.IsText(data):
		return SPIRVText
	}
	return Unrecognized
}
