package d3d9

import "golang.org/x/tools/container/intsets"

// Cost is what a program takes of its model's limits.
type Cost struct {
	Slots         int `json:"slots"`
	Arithmetic    int `json:"arithmetic"`
	Texture       int `json:"texture"`
	Temps         int `json:"temps"`         // different r#
	Constants     int `json:"constants"`     // different c# read, a relative read counting its base
	Interpolators int `json:"interpolators"` // vertex outputs, or pixel inputs, that are interpolated
	// Runs of texture reads, with nothing else between the reads of one: what is fetched
	// together is waited for once.
	TextureRuns int `json:"texture_runs"`
}

// Measure counts the cost of p, slots as Inst.Slots does.
//
// An interpolator is an oD#, oT# or o# written, except an o# of nothing but
// position, point size and fog, or a v# or t# read. A relative access may reach
// any declared register of its file, so it counts them all.
func Measure(p *Program) Cost {
	var c Cost
	var used [numFiles]intsets.Sparse
	var decls declarations
	use := func(r Reg, rel Rel, rows int) {
		if rel.File != NoFile && r.File != Const {
			for k, m := range decls.mask[r.File] {
				if m != 0 {
					used[r.File].Insert(k)
				}
			}
			return
		}
		for k := range rows {
			used[r.File].Insert(int(r.Index) + k)
		}
	}
	reading := false
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op == OpDcl {
			decls.add(in)
		}
		if k := in.Op.Kind(); k == Declaration || k == Trivia {
			continue
		}
		a, t := in.Slots(p.Model, decls.texture(in) == TexCube)
		c.Arithmetic += a
		c.Texture += t
		reads := t > 0 && in.Op != OpTexKill
		if reads && !reading {
			c.TextureRuns++
		}
		reading = reads
		if in.HasDst {
			use(in.Dst.Reg, in.Dst.Rel, 1)
		}
		for k, s := range in.Sources() {
			use(s.Reg, s.Rel, in.Rows(k))
		}
	}
	c.Slots = c.Arithmetic + c.Texture
	c.Temps = used[Temp].Len()
	c.Constants = used[Const].Len()
	if p.Model.Stage == Vertex {
		for k := range decls.mask[Output] {
			if decls.fixed&^decls.varying>>k&1 != 0 {
				used[Output].Remove(k)
			}
		}
		c.Interpolators = used[AttrOut].Len() + used[TexOut].Len() + used[Output].Len()
	} else {
		c.Interpolators = used[Input].Len() + used[Texture].Len()
	}
	return c
}

// Rows is the number of registers that source k stands for: several where a
// matrix macro names the first of them.
func (in *Inst) Rows(k int) int {
	if r := ruleTable[in.Op].rows; k == 1 && r > 0 {
		return int(r)
	}
	return 1
}
