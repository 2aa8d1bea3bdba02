package passtest

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// Source is the text of a program, a pair or a kernel; absent programs are nil.
type Source struct {
	Name          string
	Vertex, Pixel *d3d9.Program
	Kernel        *il.Kernel
	Uploads       []passes.Upload // uploads that the host makes for this version
	Tile          ir.Tile         // invocations of the original kernel per invocation, as in [passes.Unit]
}

// Lift returns the unit that passes run on.
func (s *Source) Lift() (*passes.Unit, error) {
	u := &passes.Unit{Name: s.Name}
	var err error
	if s.Vertex != nil {
		if u.Vertex, err = vsps.Lift(s.Vertex); err != nil {
			return nil, err
		}
	}
	if s.Pixel != nil {
		if u.Pixel, err = vsps.Lift(s.Pixel); err != nil {
			return nil, err
		}
	}
	if s.Kernel != nil {
		if u.Kernel, err = amdil.Lift(s.Kernel); err != nil {
			return nil, err
		}
	}
	if s.Vertex != nil && s.Pixel != nil {
		u.Stages = rounding.Stages{Pair: vsps.Pair{Vertex: s.Vertex, Pixel: s.Pixel}}
	}
	return u, nil
}

// MustLift returns the only program of s, lifted.
func (s *Source) MustLift(t testing.TB) *ir.Func {
	t.Helper()
	u, err := s.Lift()
	if err != nil {
		t.Fatal(err)
	}
	return u.Funcs()[0]
}

// Lift reads and lifts a Direct3D 9 program.
func Lift(t testing.TB, text string) *ir.Func {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return (&Source{Pixel: p}).MustLift(t)
}

// Emit writes the programs of u, which was lifted from s.
func (s *Source) Emit(u *passes.Unit) (*Source, error) {
	out := &Source{Name: s.Name, Uploads: u.Uploads, Tile: u.Tile}
	var err error
	if u.Vertex != nil {
		if out.Vertex, err = vsps.Emit(s.Vertex, u.Vertex, u.Varyings...); err != nil {
			return nil, fmt.Errorf("vertex program: %w", err)
		}
	}
	if u.Pixel != nil {
		if out.Pixel, err = vsps.Emit(s.Pixel, u.Pixel, u.Varyings...); err != nil {
			return nil, fmt.Errorf("pixel program: %w", err)
		}
	}
	if s.Kernel != nil {
		if out.Kernel, err = amdil.Emit(s.Kernel, u.Kernel); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// programText returns the text of the program with this file extension.
func (s *Source) programText(ext string) string {
	switch p := map[string]*d3d9.Program{".vsh": s.Vertex, ".psh": s.Pixel}[ext]; {
	case p != nil:
		return string(d3d9.Print(p))
	case s.Kernel != nil && ext == ".il":
		return string(il.Print(s.Kernel))
	}
	return ""
}

// allText returns the text of all programs.
func (s *Source) allText() (text string) {
	for _, ext := range extensions {
		text += s.programText(ext)
	}
	return text
}

// extensions are the file extensions of programs.
var extensions = []string{".vsh", ".psh", ".il"}

// Measure prices u, which was lifted from s, as [passes.Cost]. A program beyond the limits of its model has
// no price.
func (s *Source) Measure(u *passes.Unit) (passes.Cost, error) {
	out, err := s.Emit(u)
	if err != nil {
		return passes.Cost{}, err
	}
	var cost passes.Cost
	old := []*d3d9.Program{s.Pixel, s.Vertex}
	for i, p := range []*d3d9.Program{out.Pixel, out.Vertex} {
		if p == nil {
			continue
		}
		if err := worse(old[i], p); err != nil {
			return cost, err
		}
		c := d3d9.Measure(p)
		cost[i] = c.Slots
		cost[2] += c.TextureRuns
		cost[3] += c.Temps
	}
	return cost, nil
}

// worse returns the first rule that after breaks and before does not.
func worse(before, after *d3d9.Program) error {
	diags := d3d9.Validate(after)
	if len(diags) == 0 {
		return nil
	}
	broken := map[asm.Code]bool{}
	for _, d := range d3d9.Validate(before) {
		broken[d.Code] = true
	}
	for _, d := range diags {
		if !broken[d.Code] {
			return d
		}
	}
	return nil
}

// MeasureKernel prices u, a kernel that was lifted from s, for a target: predicted cycles of a wavefront for
// a standard launch, registers and operations.
func (s *Source) MeasureKernel(u *passes.Unit, t *chip.Target) (passes.Cost, error) {
	out, err := s.Emit(u)
	if err != nil {
		return passes.Cost{}, err
	}
	f, err := amdil.Lift(out.Kernel)
	if err != nil {
		return passes.Cost{}, err
	}
	p, err := machine.Compile(f, t, sched.Options{})
	if err != nil {
		return passes.Cost{}, err
	}
	l := StandardLaunch(out.Kernel, f)
	l.Inputs = p.Preloads()
	e, err := machine.Predict(p.Program, l, t, machine.Measured{})
	return passes.Cost{int(e.Cycles), p.Stats.GPRs, p.Stats.Ops}, err
}
