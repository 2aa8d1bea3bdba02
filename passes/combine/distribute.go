package combine

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/ir"
)

// scaled is an instruction that multiplies a sum with literals by literals, modulo 2^32: in is (base + by) *
// factor, lane by lane. Multiplication distributes over addition in that ring, so (i+1)*16 = i*16 + 16 holds
// with all wrapping.
type scaled struct {
	in     *ir.Instr
	base   ir.Operand
	factor [4]uint32
	by     [4]uint32
	direct bool // there is only a product
}

// distribute replaces several products of sums by one shared product. For (i+1)*16 and (i+2)*16, the usual
// indices of unrolled loops, it computes i*16 once and adds the products of the literals.
func (c *combiner) distribute() {
	c.f.EachRegion(func(r *ir.Region) {
		groups, order := map[string][]scaled{}, []string{}
		for _, in := range r.Code {
			if s, ok := c.scaledSum(in); ok {
				k := s.productKey()
				if len(groups[k]) == 0 {
					order = append(order, k)
				}
				groups[k] = append(groups[k], s)
			}
		}
		for _, k := range order {
			if len(groups[k]) > 1 && !c.stop {
				c.share(groups[k])
			}
		}
	})
}

// factors returns the literals that in multiplies source x by.
func factors(in *ir.Instr) (x int, w [4]uint32, ok bool) {
	switch in.Op {
	case ir.OpIShl:
		w, ok = words(&in.Src[1])
		for i := range w {
			w[i] = 1 << (w[i] & 31)
		}
		return 0, w, ok
	case ir.OpIMul:
		if w, ok = words(&in.Src[0]); ok {
			return 1, w, ok
		}
		w, ok = words(&in.Src[1])
		return 0, w, ok
	}
	return 0, w, false
}

// scaledSum reads in as a product of a sum.
func (c *combiner) scaledSum(in *ir.Instr) (s scaled, ok bool) {
	if in.IsPredicated() || !c.allowed(in) {
		return s, false
	}
	x, w, ok := factors(in)
	if !ok {
		return s, false
	}
	o := &in.Src[x]
	s = scaled{in: in, base: *o, factor: w, direct: true}
	if c.unsaturatedSource(o, in) != nil {
		for i, l := range o {
			if l.V != nil {
				s.base[i], s.by[i], _ = plusLiteral(l)
			}
		}
		s.direct = s.base == *o
	}
	return s, isPlain(o)
}

// productKey identifies the shared product.
func (s *scaled) productKey() string {
	var k []byte
	for i, l := range s.base {
		if l.V != nil {
			k = append(k, byte(i), byte(l.Mod))
			k = binary.LittleEndian.AppendUint32(k, uint32(l.V.ID))
			k = binary.LittleEndian.AppendUint32(k, s.factor[i])
		}
	}
	return string(k)
}

// share turns the products of a group into sums, in code order. The first one without a sum is the shared
// product; otherwise share makes one.
func (c *combiner) share(group []scaled) {
	first := group[0]
	var common ir.Operand
	if first.direct {
		for i, v := range first.in.Out {
			if v != nil {
				common[i] = ir.Lane{V: v}
			}
		}
		group = group[1:]
	} else {
		mul := &ir.Instr{Op: ir.OpIMul, Precise: first.in.Precise, Orig: -1, Pos: first.in.Pos,
			Src: []ir.Operand{first.base, c.literals(&first.base, first.factor)}, Out: first.in.Out}
		if !c.legal(mul) || !c.shouldRewrite(first.in) {
			return
		}
		common = c.define(mul, first.in)
	}
	for _, s := range group {
		if c.dead[s.in] {
			continue
		}
		var by [4]uint32
		for i := range by {
			by[i] = s.by[i] * s.factor[i]
		}
		to := withOp(s.in, ir.OpIAdd, s.in.Mods, common, c.literals(&s.base, by))
		if s.direct {
			to = withOp(s.in, ir.OpMov, s.in.Mods, common)
		}
		if !c.become(s.in, to) && c.stop {
			return
		}
	}
}

// define inserts a new instruction with the lanes of in before it, and returns an operand with its results.
func (c *combiner) define(add, in *ir.Instr) (o ir.Operand) {
	add.Out = [4]*ir.Value{}
	for i, v := range in.Out {
		if v != nil {
			o[i] = ir.Lane{V: c.f.Define(add, i, v.Home)}
		}
	}
	c.insert(add, in)
	return o
}
