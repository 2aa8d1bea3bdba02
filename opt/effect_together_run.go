package opt

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// A pipeline runs over each program of a group as over a single program, except for the two passes that change
// the interface between stages. These see a program and all its partners.

// shared reports whether a pass sees both stages. Only the two shared passes run over programs and all their
// partners; every other pass runs over each program alone.
func shared(p *passes.Pass) bool { return p == codemotion.Pass || p == codemotion.Varyings }

// first returns the index of the first shared pass in the pipeline, or the length of the pipeline.
func (t *together) first() int {
	level := t.level()
	if k := slices.IndexFunc(level, func(s passes.Stage) bool { return shared(s.Pass) }); k >= 0 {
		return k
	}
	return len(level)
}

// level returns the requested pipeline.
func (t *together) level() passes.Pipeline {
	p, _ := t.o.pipeline(input.KindPair) // checked before
	return p
}

// stages runs the stages from from up to to over one program. Faults of passes were reported when the program
// was optimized alone, and are not reported again.
func (t *together) stages(m *member, u *passes.Unit, from, to int) error {
	cfg := m.z.config(t.class)
	cfg.First = from
	_, err := m.z.execute(u, t.level()[from:to], cfg)
	if f := (*passes.Fault)(nil); errors.As(err, &f) {
		return nil // reported when the program was optimized alone
	}
	return err
}

// runMembers executes the pipeline over all members from their ready state. Stages that are not shared run only
// over members that a shared one has changed, because the results of the others are known. A shared pass sees
// each pixel program with all its vertex programs (runMotion), or each vertex program with all its pixel
// programs (removeUnreadOutputs).
func (t *together) runMembers(may map[*member]bool) error {
	for _, m := range t.members {
		m.unit, m.changedTogether, m.gains, m.names = m.ready.Clone(), false, map[parameter]uint16{}, nil
		m.z.made = m.z.made[:m.before]
	}
	// moving shrinks during the run: a pixel program that moved nothing returns to its alone version, which its
	// partners then see.
	moving := maps.Clone(may)
	from := t.first()
	for i, s := range t.level() {
		// Stages between shared passes run when the next shared one, or the end, needs their results.
		if !shared(s.Pass) {
			continue
		}
		for _, m := range t.members {
			if m.changedTogether {
				if err := t.stages(m, m.unit, from, i); err != nil {
					return err
				}
			} else if m.reads != nil && s.Pass == codemotion.Varyings {
				// Varyings are removed after motion, so a program that has moved nothing by now will not.
				delete(moving, m)
			}
		}
		for _, m := range t.members {
			var err error
			switch pixel := m.reads != nil; {
			case !moving[m]:
			case pixel && s.Pass == codemotion.Pass:
				if err = t.runMotion(m, i, moving); !m.changedTogether {
					delete(moving, m)
				}
			case !pixel && s.Pass == codemotion.Varyings:
				err = t.removeUnreadOutputs(m, i, moving)
			}
			if err != nil {
				return err
			}
		}
		from = i + 1
	}
	for _, m := range t.members {
		if m.changedTogether {
			if err := t.stages(m, m.unit, from, len(t.level())); err != nil {
				return err
			}
		}
	}
	return nil
}

// pixelNow returns the current version of pixel program m: its source, the function, and the varyings gained
// since the source.
func (m *member) pixelNow(moving map[*member]bool) (*d3d9.Program, *ir.Func, []ir.Varying) {
	if moving[m] {
		return m.pair.programs[0], m.unit.Pixel, m.unit.Varyings
	}
	return m.alone.program, m.reads, nil
}

// between is the interface of a vertex and a pixel program that both have other partners. It restricts
// codemotion to registers that are free in all of them.
type between struct {
	rounding.Stages
	// taken has the constant registers of the vertex program that hold parameters of other pixel programs.
	taken map[uint16]bool
	// free has the interpolator sets, by semantic, that no other pixel program of the vertex program uses. nil
	// means all.
	free map[uint8]bool
}

// Link implements ir.Stages.
func (b *between) Link(added ...ir.Varying) (*ir.Linkage, error) {
	l, err := b.Stages.Link(added...)
	if err == nil && b.free != nil {
		l.Free = slices.DeleteFunc(l.Free, func(v ir.Varying) bool { return !b.free[v.Semantic] })
	}
	return l, err
}

// FreeConstants implements ir.Stages.
func (b *between) FreeConstants(vertex *ir.Func) []uint16 {
	return slices.DeleteFunc(b.Stages.FreeConstants(vertex), func(c uint16) bool { return b.taken[c] })
}

// varyings merges the varyings that a vertex and a pixel program have gained. Those of the pixel program come
// first, in their order, with the outputs of the vertex program that have the same semantic.
func varyings(vertex, pixel []ir.Varying) (list []ir.Varying) {
	same := func(of ir.Varying) func(ir.Varying) bool {
		return func(v ir.Varying) bool { return v.Semantic == of.Semantic }
	}
	for _, v := range pixel {
		if k := slices.IndexFunc(vertex, same(v)); k >= 0 {
			v.Out = vertex[k].Out
		}
		list = append(list, v)
	}
	for _, v := range vertex {
		if !slices.ContainsFunc(pixel, same(v)) {
			list = append(list, v)
		}
	}
	return list
}

// unitOf returns the unit of vertex program v, in the version vertex with the outputs outs, and the current
// pixel program p.
func (t *together) unitOf(v *member, vertex *ir.Func, outs []ir.Varying, p *member,
	moving map[*member]bool) (*passes.Unit, *between) {
	source, pixel, ins := p.pixelNow(moving)
	b := &between{Stages: rounding.Stages{Pair: vsps.Pair{Vertex: v.pair.programs[0], Pixel: source}}}
	return &passes.Unit{Name: v.in.Name, Vertex: vertex, Pixel: pixel, Varyings: varyings(outs, ins), Stages: b}, b
}

// partner returns the partner v of pixel program p for codemotion.Together: the unit, the constants that v
// already has, and the outputs and interpolators that other pixel programs occupy.
func (t *together) partner(v, p *member, u *passes.Unit, moving map[*member]bool) (codemotion.Partner, error) {
	w, b := t.unitOf(v, v.unit.Vertex, v.unit.Varyings, p, moving)
	w.Pixel, w.Varyings = u.Pixel, varyings(v.unit.Varyings, u.Varyings)
	w.Uploads = t.known(v, p)
	b.taken = map[uint16]bool{}
	for _, c := range v.gains {
		b.taken[c] = true
	}
	x := codemotion.Partner{Unit: w, Taken: map[ir.Reg]bool{}}
	// Intersect the free sets of all other pixel programs of v, and collect the outputs that these read.
	for _, d := range v.draws {
		if d.pixel == p {
			continue
		}
		other, _ := t.unitOf(v, v.unit.Vertex, v.unit.Varyings, d.pixel, moving)
		link, err := other.Stages.Link(other.Varyings...)
		if err != nil {
			return x, err
		}
		free := map[uint8]bool{}
		for _, f := range link.Free {
			free[f.Semantic] = b.free == nil || b.free[f.Semantic]
		}
		b.free = free
		reads := codemotion.Reads(other.Pixel)
		for _, l := range link.Links {
			for c := range uint8(4) {
				in, out := l.In, l.Out
				in.Comp, out.Comp = c, c
				if reads[in] {
					x.Taken[out] = true
				}
			}
		}
	}
	return x, nil
}

// runMotion moves code from pixel program m into all its partners at once. It runs a copy of codemotion.Pass
// with another Run, so that stepping, pricing and remarks work as usual. It commits changes only if the pass
// manager keeps the result.
func (t *together) runMotion(m *member, stage int, moving map[*member]bool) error {
	var made []codemotion.Partner
	pass := *codemotion.Pass
	pass.Run = func(c *passes.Ctx, u *passes.Unit) error {
		var list []codemotion.Partner
		for _, d := range m.draws {
			x, err := t.partner(d.vertex, m, u, moving)
			if err != nil {
				return err
			}
			list = append(list, x)
		}
		if err := codemotion.Together(c, list,
			func(l []codemotion.Partner) (passes.Cost, error) { return t.measure(m, l) }); err != nil {
			return err
		}
		if list[0].Pixel != u.Pixel {
			made, u.Pixel, u.Varyings = list, list[0].Pixel, nil
			// In the pixel program, the new varyings have no output, because each vertex program assigns a
			// different one.
			for _, v := range list[0].Varyings {
				if v.In.File != 0 {
					u.Varyings = append(u.Varyings, ir.Varying{In: v.In, Semantic: v.Semantic})
				}
			}
		}
		return nil
	}
	cfg := m.z.config(t.class)
	cfg.First, cfg.HostMirrored, cfg.Mirrors = stage, true, t.mirrors(m)
	report, err := m.z.execute(m.unit, passes.Pipeline{{Pass: &pass, Settings: t.level()[stage].Settings}}, cfg)
	if f := (*passes.Fault)(nil); errors.As(err, &f) {
		m.z.recordFault(faultOf(m.in, m.z.o.Options, f))
		return nil
	}
	if err != nil || made == nil || report.Stats[0].Outcome != passes.Changed {
		return err
	}
	m.changedTogether = true
	for i, d := range m.draws {
		t.adoptVertex(d.vertex, m, made[i].Unit)
	}
	return nil
}

// adoptVertex makes the version of vertex program v from a motion of p the current one, and records the
// constants that it now needs by name.
func (t *together) adoptVertex(v, p *member, made *passes.Unit) {
	v.changedTogether, v.unit.Vertex, v.unit.Varyings = true, made.Vertex, nil
	for _, w := range made.Varyings {
		if w.Out.File != 0 {
			v.unit.Varyings = append(v.unit.Varyings, ir.Varying{Out: w.Out, Semantic: w.Semantic})
		}
	}
	// The first uploads are those of known.
	for _, up := range made.Uploads[len(t.known(v, p)):] {
		if e := p.entry(up.From); e != nil {
			v.gains[parameter{e.Name, int(up.From) - e.Index}] = up.To
		}
	}
}

// measure returns the price of a motion: the sum of the prices of the pixel program and all its vertex
// programs.
func (t *together) measure(m *member, partners []codemotion.Partner) (sum passes.Cost, err error) {
	add := func(p *pairSubject, u *passes.Unit) {
		if err != nil {
			return
		}
		var cost passes.Cost
		cost, err = p.measure(u)
		for k := range sum {
			sum[k] += cost[k]
		}
	}
	add(m.pair, &passes.Unit{Pixel: partners[0].Pixel, Varyings: partners[0].Varyings})
	for i, d := range m.draws {
		add(d.vertex.pair, &passes.Unit{Vertex: partners[i].Vertex, Varyings: partners[i].Varyings})
	}
	return sum, err
}

// removeUnreadOutputs removes outputs that no partner of a vertex program reads.
func (t *together) removeUnreadOutputs(m *member, stage int, moving map[*member]bool) error {
	pass := *codemotion.Varyings
	pass.Run = func(c *passes.Ctx, u *passes.Unit) error {
		var units []*passes.Unit
		for _, d := range m.draws {
			drawn, _ := t.unitOf(m, u.Vertex, u.Varyings, d.pixel, moving)
			units = append(units, drawn)
		}
		return codemotion.Unread(c, units)
	}
	cfg := m.z.config(t.class)
	cfg.First = stage
	report, err := m.z.execute(m.unit, passes.Pipeline{{Pass: &pass, Settings: t.level()[stage].Settings}}, cfg)
	if f := (*passes.Fault)(nil); errors.As(err, &f) {
		m.z.recordFault(faultOf(m.in, m.z.o.Options, f))
		return nil
	}
	m.changedTogether = m.changedTogether || err == nil && report.Stats[0].Outcome == passes.Changed
	return err
}

// write emits a member, adds the parameters that it has gained, reads the bytes back and validates them. A
// member without a change by a shared pass keeps its version alone.
func (t *together) write(m *member) error {
	if m.now = m.alone; !m.changedTogether {
		return nil
	}
	programs, err := m.pair.emit(m.unit)
	if err != nil {
		return err
	}
	q := programs[0]
	if err := errors.Join(t.bindParameters(m, q), effect.CompactTable(q)); err != nil {
		return err
	}
	data, err := d3d9.Write(q)
	if err != nil {
		return err
	}
	back, err := d3d9.Read(m.in.Files[0].Name, data)
	if err != nil {
		return fmt.Errorf("the result cannot be read again: %w", err)
	}
	m.now = encoded{back, data}
	if err := m.pair.checkFit(back); err != nil || t.numbered || t.o.spelled() || t.o.number() == 0 {
		return err
	}
	return m.rehost(t.class >= passes.Real)
}

// rehost moves computations of a program to its preshader, like rehost of a part.
func (m *member) rehost(real bool) error {
	_, data, _, err := effect.Shorten(m.now.program, m.pair.input[0], real)
	if err != nil || data == nil {
		return nil // unchanged
	}
	q, err := d3d9.Read(m.in.Files[0].Name, data)
	if err != nil {
		return fmt.Errorf("the result cannot be read again: %w", err)
	}
	m.now = encoded{q, data}
	return m.pair.checkFit(q)
}
