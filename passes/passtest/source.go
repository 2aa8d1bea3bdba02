package passtest

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/vsps"
)

// Source is a program or a pair as written; the stage that is missing is nil.
type Source struct {
	Name          string
	Vertex, Pixel *d3d9.Program
}

// Lift makes the unit that passes run on.
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
	return u, nil
}

// Emit writes u, which was lifted from s.
func (s *Source) Emit(u *passes.Unit) (*Source, error) {
	out := &Source{Name: s.Name}
	var err error
	if s.Vertex != nil {
		if out.Vertex, err = vsps.Emit(s.Vertex, u.Vertex, u.Varyings...); err != nil {
			return nil, fmt.Errorf("vertex program: %w", err)
		}
	}
	if s.Pixel != nil {
		if out.Pixel, err = vsps.Emit(s.Pixel, u.Pixel, u.Varyings...); err != nil {
			return nil, fmt.Errorf("pixel program: %w", err)
		}
	}
	return out, nil
}

// Measure prices u, which was lifted from s: pixel slots, vertex slots and
// temporaries. A program beyond the limits of its model has no price.
func (s *Source) Measure(u *passes.Unit) (passes.Cost, error) {
	out, err := s.Emit(u)
	if err != nil {
		return passes.Cost{}, err
	}
	var cost passes.Cost
	was := []*d3d9.Program{s.Pixel, s.Vertex}
	for i, p := range []*d3d9.Program{out.Pixel, out.Vertex} {
		if p == nil {
			continue
		}
		if err := worse(was[i], p); err != nil {
			return cost, err
		}
		c := d3d9.Measure(p)
		cost[i] = c.Slots
		cost[2] += c.Temps
	}
	return cost, nil
}

// worse returns the first rule that after breaks and before does not.
func worse(before, after *d3d9.Program) error {
	diags := d3d9.Validate(after)
	if len(diags) == 0 {
		return nil
	}
	broken := map[string]bool{}
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
