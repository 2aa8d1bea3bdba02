package opt

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
)

// EffectPasses returns the names of the passes of a compiled effect; package shaderlift documents it.
func EffectPasses(f File) ([]string, error) {
	e, err := effect.Read(f)
	if err != nil {
		return nil, err
	}
	return e.Passes(), nil
}

// EffectDraws returns the programs of a pass; package shaderlift documents it.
func EffectDraws(f File, pass string) ([]Input, error) {
	e, err := effect.Read(f)
	if err != nil {
		return nil, err
	}
	return e.Draws(pass)
}

// EffectDraw returns the only draw of a pass, of the only pass if its name is empty.
func EffectDraw(f File, pass string) (in Input, err error) {
	e, err := effect.Read(f)
	if err != nil {
		return in, err
	}
	return e.Draw(pass)
}

// noPass rejects Options.Pass for an input that is not an effect.
func (o *Options) noPass(in Input) error {
	if o.Pass == "" || in.Kind() == input.KindEffect {
		return nil
	}
	return asm.Errorf(asm.Pos{File: in.Path()}, "wrong-input", "only a compiled effect has passes; leave --pass %s out", o.Pass)
}

// selected returns the draw of an effect that Options.Pass names, and other inputs as they are. An effect without
// Options.Pass must have one draw if only is set.
func (o *Options) selected(in Input, only bool) (Input, error) {
	if in.Kind() != input.KindEffect || o.Pass == "" && !only {
		return in, o.noPass(in)
	}
	return EffectDraw(in.Files[0], o.Pass)
}

// partsOf returns a function that reports whether programs of these names belong to a pass of e. An empty name means
// all passes.
func partsOf(e *effect.Effect, pass string) (func(names []string) bool, error) {
	if pass == "" {
		return func([]string) bool { return true }, nil
	}
	draws, err := e.Draws(pass)
	if err != nil {
		return nil, err
	}
	var all [][]string
	for i := range draws {
		all = append(all, draws[i].FileNames())
	}
	return func(names []string) bool {
		return slices.ContainsFunc(all, func(draw []string) bool { // one is a part of the other
			few, many := names, draw
			if len(few) > len(many) {
				few, many = many, few
			}
			return !slices.ContainsFunc(few, func(name string) bool { return !slices.Contains(many, name) })
		})
	}, nil
}

// Disassemble returns the text of a program or an effect; package shaderlift documents it.
func Disassemble(f File, pass string, include d3d9.Opener) ([]byte, error) {
	in := Input{Files: []File{f}, Include: include}
	o := Options{Pass: pass}
	if err := o.noPass(in); err != nil {
		return nil, err
	}
	if in.Kind() != input.KindEffect {
		return input.DisassembleWith(f, include)
	}
	e, err := effect.Read(f)
	if err != nil {
		return nil, err
	}
	print := func(b *bytes.Buffer, programs []*d3d9.Program, k int) { b.Write(d3d9.Print(programs[k])) }
	if pass == "" {
		return effectText(e, print), nil
	}
	draws, err := e.Draws(pass)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if len(draws) == 1 && len(draws[0].Files) == 1 { // Assemble accepts it
		p, err := input.ReadProgram(draws[0].Files[0])
		if err != nil {
			return nil, err
		}
		return d3d9.Print(p), nil
	}
	printDraws(&b, draws, print)
	return bytes.TrimPrefix(b.Bytes(), []byte("\n")), nil
}

// effectText returns the contents of an effect, and its programs as print writes them.
func effectText(e *effect.Effect, print func(b *bytes.Buffer, programs []*d3d9.Program, k int)) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n%s", asm.Shown(e.FileName()), fx.Print(e.FX))
	var draws []Input
	for i := range e.Parts {
		draws = append(draws, e.Parts[i].In)
	}
	printDraws(&b, draws, print)
	return b.Bytes()
}

// printDraws writes the programs of draws, each once, under their names. An unreadable program is a comment.
func printDraws(b *bytes.Buffer, draws []Input, print func(b *bytes.Buffer, programs []*d3d9.Program, k int)) {
	seen := map[string]bool{}
	for i := range draws {
		files := draws[i].Files
		programs, wrong := make([]*d3d9.Program, len(files)), make([]error, len(files))
		for k, f := range files {
			programs[k], wrong[k] = input.ReadProgram(f)
		}
		for k, f := range files {
			if seen[f.Name] {
				continue
			}
			seen[f.Name] = true
			if fmt.Fprintf(b, "\n// %s\n", asm.Shown(f.Name)); wrong[k] != nil {
				fmt.Fprintf(b, "// %v\n", wrong[k])
				continue
			}
			print(b, programs, k)
		}
	}
}
