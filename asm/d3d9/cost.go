package d3d9

import "math/bits"

// Cost is the amount of its model's limits that a program uses. It counts statements, not
// executions, as the limits of the models do (MSDN, "Flow Control Limitations"). Both sides of an
// if count, and a loop's body counts once.
type Cost struct {
	// Arithmetic + Texture
	Slots         int `json:"slots"`
	Arithmetic    int `json:"arithmetic"`
	Texture       int `json:"texture"`
	Temps         int `json:"temps"`         // different r#
	Constants     int `json:"constants"`     // different c# read, a relative read counting its base
	Interpolators int `json:"interpolators"` // vertex outputs, or pixel inputs, that are interpolated
	Components    int `json:"components"`    // of the interpolators: written, or read
	// Maximal sequences of adjacent texture reads: the program waits once for the reads of one
	// sequence.
	TextureRuns int `json:"texture_runs"`
}

// Measure counts the cost of p, slots as Inst.Slots does.
//
// An interpolator is an oD#, oT# or o# that is written, or a v# or t# that is read. An o# that
// holds only position, point size and fog does not count. A relative access may reach any declared
// register of its file, so it counts them all.
func Measure(p *Program) Cost {
	var c Cost
	var used [numFiles]numbers
	var decls declarations
	var lanes [numFiles][16]Mask // components written or read
	// use notes rows registers from r on, or all declared ones of the file.
	use := func(r Reg, rel Rel, rows int, mask Mask) {
		if rel.File != NoFile && r.File != Const {
			for k, m := range decls.mask[r.File] {
				if m != 0 {
					used[r.File].insert(k)
					lanes[r.File][k] |= m
				}
			}
			return
		}
		if int(r.Index) < len(lanes[r.File]) {
			lanes[r.File][r.Index] |= mask
		}
		for k := range rows {
			used[r.File].insert(int(r.Index) + k)
		}
	}
	// The kind of the last instruction, for TextureRuns.
	reading := false
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op == OpDcl {
			decls.addDeclaration(in)
		}
		if k := in.Op.Kind(); k == Declaration || k == Trivia {
			continue
		}
		a, t := in.Slots(p.Model, decls.texture(in) == TexCube)
		c.Arithmetic += a
		c.Texture += t
		// texkill takes a texture slot, but does not read a texture.
		reads := t > 0 && in.Op != OpTexKill
		if reads && !reading {
			c.TextureRuns++
		}
		reading = reads
		if in.HasDst {
			mask := in.Dst.Mask
			if in.Op == OpTexKill {
				mask &= maskXYZ
			}
			use(in.Dst.Reg, in.Dst.Rel, 1, mask)
		}
		for k, s := range in.Sources() {
			var mask Mask
			if s.File == Input || s.File == Texture {
				mask = in.Components(k, decls.texture(in))
			}
			use(s.Reg, s.Rel, in.SourceRegisters(k), mask)
		}
	}
	c.Slots = c.Arithmetic + c.Texture
	c.Temps = used[Temp].len()
	c.Constants = used[Const].len()
	if p.Model.Stage == Vertex {
		// Outputs that only the rasteriser reads are not interpolators.
		for k := range decls.mask[Output] {
			if decls.fixed&^decls.varying>>k&1 != 0 {
				used[Output].remove(k)
				lanes[Output][k] = 0
			}
		}
		c.Interpolators = used[AttrOut].len() + used[TexOut].len() + used[Output].len()
		c.Components = count(&lanes[AttrOut]) + count(&lanes[TexOut]) + count(&lanes[Output])
	} else {
		c.Interpolators = used[Input].len() + used[Texture].len()
		c.Components = count(&lanes[Input]) + count(&lanes[Texture])
	}
	return c
}

// count returns the number of components in masks.
func count(masks *[16]Mask) (n int) {
	for _, m := range masks {
		n += bits.OnesCount8(uint8(m))
	}
	return n
}

// numbers is a set of register numbers, mostly small: only c# go beyond 255.
type numbers struct {
	low  [4]uint64
	high map[int]struct{}
}

func (s *numbers) insert(k int) {
	if k < 64*len(s.low) {
		s.low[k/64] |= 1 << (k % 64)
		return
	}
	if s.high == nil {
		s.high = map[int]struct{}{}
	}
	s.high[k] = struct{}{}
}

func (s *numbers) remove(k int) {
	if k < 64*len(s.low) {
		s.low[k/64] &^= 1 << (k % 64)
	}
	delete(s.high, k)
}

// len returns the size of the set.
func (s *numbers) len() int {
	n := len(s.high)
	for _, w := range s.low {
		n += bits.OnesCount64(w)
	}
	return n
}

// SourceRegisters returns the number of registers that source k stands for. A matrix macro names the first of
// several: m4x3 r0.xyz, v0, c4 reads c4, c5 and c6.
func (in *Inst) SourceRegisters(k int) int {
	if r := ruleTable[in.Op].rows; k == 1 && r > 0 {
		return int(r)
	}
	return 1
}
