// Package effect divides a compiled effect into the parts that are optimized together, and writes it back. It also
// changes how the host sets the constants of programs in an effect.
//
// Constant tables list parameters that are set by name. Preshaders compute further constants from parameters
// when a pass is applied. [Shorten] and [HostFirst] move computations on constants alone to the preshader: the
// host runs it once per draw, at no cost per vertex or pixel. A [Binder] gives a vertex program the constants
// of pixel programs, for code that moved there. [WithoutGained] is for verification: it removes these
// constants again and returns the pairs of registers with equal contents.
package effect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// Effect is a compiled effect, divided into the parts that are optimized together. Every shader of
// fx.Shaders is in exactly one part. The parts alias the bytecode in FX, so an assignment to
// *Part.Shaders[k].Data changes the output of Write.
type Effect struct {
	// file is the input file; it may be a content file that contains the effect.
	file    input.File
	Content *containers.File // the content file, or nil
	Bytes   []byte           // the effect as read
	FX      *fx.Effect
	Parts   []Part
	// Groups are sets of parts whose programs have several partners. Parts of a group have one shader
	// each.
	Groups []Group
	// Numbered is set if passes set constants by register number. Then the names in tables do not show
	// which registers are used or free.
	Numbered bool
}

// Part is a unit of optimization: the two programs of a pair, vertex first, or one program.
type Part struct {
	In      input.Input
	Shaders []fx.Shader // parallel to the files of In
}

// Read decodes f and unwraps a content file of XNA first. Positions in diagnostics are offsets in
// the decompressed effect, which the suffix of the name indicates.
func Read(f input.File) (*Effect, error) {
	e := &Effect{file: f, Bytes: f.Data}
	name := f.Name
	if containers.IsContentFile(f.Data) {
		content, err := containers.Decode(f.Name, f.Data)
		if err != nil {
			return nil, advised(err)
		}
		e.Content, e.Bytes = content, content.Effect
		name += ":effect" // offsets are relative to the effect
	}
	x, err := fx.Decode(name, e.Bytes)
	if err != nil {
		return nil, advised(err)
	}
	e.FX, e.Numbered = x, x.SetsState(fx.Operation.SetsConstants)
	// The optimization of a pair assumes two things. First, the two programs are drawn only with each
	// other; this fails where a pass inherits a stage from another pass. Second, pixel inputs are the
	// interpolated vertex outputs; this fails where a state wraps texture coordinates or replaces them
	// for point sprites.
	alone := mixesPasses(x) || x.SetsState(fx.Operation.ReplacesCoordinates)
	e.arrange(x.Shaders(), alone)
	return e, nil
}

// advised adds the next step to an error of a file that cannot be read.
func advised(err error) error {
	d, ok := err.(*asm.Diag)
	if !ok {
		return err
	}
	with := *d
	if with.Msg += "; compile or copy the file again"; d.Code == "not-an-effect" {
		with.Msg = d.Msg + "; leave this file out"
	}
	return &with
}

// arrange divides shaders into parts and groups. A pair consists of two shaders that are drawn only
// with each other. If alone is set, every shader is its own part and there are no groups.
func (e *Effect) arrange(shaders []fx.Shader, alone bool) {
	var draws []fx.Draw
	// Draws knows all combinations unless a selector is too complex. In that case the shaders in arrays
	// are single parts, and only neighbours in one pass form a pair.
	known := false
	if !alone {
		draws, known = e.FX.Draws(shaders)
	}
	partners := partnersOf(len(shaders), draws)
	// places holds the number of the part of each shader, from 1; 0 means not assigned yet.
	places := make([]int, len(shaders))
	for i := range shaders {
		if places[i] > 0 {
			continue
		}
		of := shaders[i : i+1]
		switch {
		case known:
			// i and its only partner k. They may come in either order.
			if k, ok := partners.exclusivePartner(i); ok {
				places[k] = len(e.Parts) + 1
				of = []fx.Shader{shaders[min(i, k)], shaders[max(i, k)]}
				slices.SortFunc(of, func(a, b fx.Shader) int { return int(a.Stage) - int(b.Stage) })
			}
		case !alone && i+1 < len(shaders) && drawnTogether(&shaders[i], &shaders[i+1]):
			places[i+1] = len(e.Parts) + 1
			of = shaders[i : i+2]
		}
		places[i] = len(e.Parts) + 1
		e.addShaderUnit(of)
	}
	// groups has indices of shaders, e.Groups has indices of parts. A shader of a group is alone in its
	// part, since only excludes shaders with several partners.
	for _, g := range partners.groups() {
		for i := range g.Draws {
			for s := range g.Draws[i] {
				g.Draws[i][s] = places[g.Draws[i][s]] - 1
			}
		}
		e.Groups = append(e.Groups, g)
	}
}

// drawnTogether reports whether the consecutive shaders a and b belong to one pass, the vertex program
// first.
func drawnTogether(a, b *fx.Shader) bool {
	return a.InPass() && b.InPass() && a.Technique == b.Technique && a.Pass == b.Pass
}

// mixesPasses reports whether a pass sets the program of one stage and draws with an inherited program
// of the other stage. The inherited program may come from another pass of the effect, so the interface
// between the stages is not private to a pair.
func mixesPasses(x *fx.Effect) bool {
	for _, passes := range x.Sources() {
		for _, p := range passes {
			if (p[d3d9.Vertex] == fx.Inherited) != (p[d3d9.Pixel] == fx.Inherited) {
				return true
			}
		}
	}
	return false
}

// addShaderUnit appends a part made of shaders. Files are named after the owner of the shader, as in
// "Water.fxb:Main/P0.vs", since diagnostics need a position within the effect.
func (e *Effect) addShaderUnit(shaders []fx.Shader) {
	p := Part{Shaders: shaders}
	for i := range shaders {
		s := &shaders[i]
		label := e.label(s)
		if i == 0 {
			p.In.Name = label
		} else if label != p.In.Name {
			p.In.Name += "," + label
		}
		name := fmt.Sprintf("%s:%s.%s", e.file.Name, label, [...]string{"vs", "ps"}[s.Stage])
		p.In.Files = append(p.In.Files, input.File{Name: name, Data: *s.Data})
	}
	e.Parts = append(e.Parts, p)
}

// label names the owner of a shader.
func (e *Effect) label(s *fx.Shader) string {
	if s.InPass() {
		t := &e.FX.Techniques[s.Technique]
		return nameOr(t.Name.Text, s.Technique) + "/" + nameOr(t.Passes[s.Pass].Name.Text, s.Pass)
	}
	return fmt.Sprintf("%s[%d]", nameOr(e.FX.Parameters[s.Parameter].Type.Name.Text, s.Parameter), s.Element)
}

// nameOr returns a name, or a number if the name is empty.
func nameOr(name string, n int) string {
	if name == "" {
		return strconv.Itoa(n)
	}
	return name
}

// Write encodes the effect, reads it back and checks that only bytecode differs from the input. A
// failure is a fault of this program. The check compares bytes, not the decoded form, so it also covers
// data that fx does not model.
func (e *Effect) Write() ([]byte, error) {
	data, err := fx.Encode(e.FX)
	if err != nil {
		return nil, err
	}
	if e.Content != nil {
		content := *e.Content
		content.Effect = data
		data = containers.Encode(&content)
	}
	back, err := Read(input.File{Name: e.file.Name, Data: data})
	if err != nil {
		return nil, fmt.Errorf("the result cannot be read again: %w", err)
	}
	old, err := Read(e.file)
	if err != nil {
		return nil, err
	}
	for i := range e.Parts {
		for k, s := range e.Parts[i].Shaders {
			if !bytes.Equal(*back.Parts[i].Shaders[k].Data, *s.Data) {
				return nil, fmt.Errorf("%s differs after reading it again", e.Parts[i].In.Name)
			}
		}
	}
	if !back.DiffersOnlyInCode(old) {
		return nil, errors.New("the result differs from the input in more than its programs")
	}
	return data, nil
}

// DiffersOnlyInCode reports whether e differs from old only in the bytecode of programs and in the compression of a
// content file. It copies the old bytecode into e and compares the encodings, so e is unusable
// afterwards.
func (e *Effect) DiffersOnlyInCode(old *Effect) bool {
	if len(e.Parts) != len(old.Parts) || (e.Content == nil) != (old.Content == nil) {
		return false
	}
	for i := range e.Parts {
		a, b := e.Parts[i].Shaders, old.Parts[i].Shaders
		if len(a) != len(b) {
			return false
		}
		for k := range a {
			*a[k].Data = *b[k].Data
		}
	}
	data, err := fx.Encode(e.FX)
	if err != nil || !bytes.Equal(data, old.Bytes) {
		return false
	}
	if e.Content == nil {
		return true
	}
	content := *e.Content
	content.Effect = data
	return bytes.Equal(containers.Encode(&content), containers.Encode(old.Content))
}

// Misfits returns the techniques of an effect with programs that do not fit the profile; errs has the
// errors of its parts. A device with that profile cannot draw these techniques.
func (e *Effect) Misfits(errs []error) (names []string) {
	within := make([]bool, len(e.FX.Techniques))
	for i, err := range errs {
		if !errors.Is(err, pair.ErrFit) {
			continue
		}
		for _, s := range e.Parts[i].Shaders {
			for t := range within {
				within[t] = within[t] || s.Technique == t || !s.InPass() && e.chooses(t, s.Stage)
			}
		}
	}
	for t, some := range within {
		if some {
			names = append(names, nameOr(e.FX.Techniques[t].Name.Text, t))
		}
	}
	return names
}

// chooses reports whether a technique takes programs of a stage from parameters.
func (e *Effect) chooses(technique int, stage d3d9.Stage) bool {
	return slices.ContainsFunc(e.FX.Sources()[technique], func(p [2]fx.Source) bool {
		return p[stage] == fx.Selected || p[stage] == fx.Referenced
	})
}

// IsGrouped reports whether a part has several partners.
func (e *Effect) IsGrouped(part int) bool {
	return slices.ContainsFunc(e.Groups, func(g Group) bool { return slices.Contains(g.Members(), part) })
}
