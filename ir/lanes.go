package ir

import "fmt"

// Split moves the lanes of in that are in mask to a new instruction and returns it. The caller puts it next
// to in. The values stay the same, so no use changes. Both instructions read every lane that both depend on.
// mask must be a proper subset of the lanes that in writes.
//
//	mul r0.xyz, r1, c0    Split(in, 0b100) gives    mul r0.xy, r1, c0
//	                                                mul r0.z, r1, c0
//
// Constructs have regions that cannot be in two places, and effects must happen once, so neither can be
// split.
func Split(in *Instr, mask uint8) (*Instr, error) {
	switch all := in.Mask(); {
	case len(in.Sub) > 0 || in.Op.Has(Structured) || in.Op.Has(Effect):
		return nil, fmt.Errorf("%v cannot be split", in.Op)
	case mask == 0 || mask&^all != 0 || mask == all:
		return nil, fmt.Errorf("%v writes lanes %04b: %04b cannot leave them", in.Op, all, mask)
	}
	rest := *in
	rest.Out, rest.Keep, rest.Pred = [4]*Value{}, [4]*Value{}, Operand{}
	for i := range 4 {
		if mask>>i&1 != 0 {
			moveLane(in, i, &rest, i)
		}
	}
	rest.Src = append([]Operand(nil), in.Src...)
	rest.trimLanes()
	in.trimLanes()
	return &rest, nil
}

// trimLanes drops the lanes of sources that in does not depend on.
func (in *Instr) trimLanes() {
	for s := range in.Src {
		reads := in.Reads(s)
		for i := range in.Src[s] {
			if reads>>i&1 == 0 {
				in.Src[s][i] = Lane{}
			}
		}
	}
}

// moveLane makes lane i of from lane j of to, with its predicate. The caller moves the sources.
func moveLane(from *Instr, i int, to *Instr, j int) {
	to.Out[j], to.Keep[j], to.Pred[j] = from.Out[i], from.Keep[i], from.Pred[i]
	from.Out[i], from.Keep[i], from.Pred[i] = nil, nil, Lane{}
	if v := to.Out[j]; v != nil {
		v.Def, v.Lane = to, uint8(j)
	}
}

// joinable returns an error that names the rule that forbids a to take the lanes of b. The caller decides
// where the joined instruction may be placed.
func joinable(a, b *Instr) error {
	switch {
	case a == b:
		return fmt.Errorf("%v cannot join itself", a.Op)
	case a.Op != b.Op || a.Cond != b.Cond || a.Res != b.Res || a.Base != b.Base || a.Imm != b.Imm:
		return fmt.Errorf("%v and %v are different operations", a.Op, b.Op)
	case a.Mods != b.Mods:
		return fmt.Errorf("%v: different result modifiers", a.Op)
	case len(a.Sub) > 0 || a.Op.Has(Structured) || a.Op.Has(Effect):
		return fmt.Errorf("%v cannot be joined", a.Op)
	case a.Mask()&b.Mask() != 0:
		return fmt.Errorf("%v: both write lanes %04b", a.Op, a.Mask()&b.Mask())
	case a.IsPredicated() != b.IsPredicated():
		return fmt.Errorf("%v: only one is predicated", a.Op)
	}
	for s := range a.Src {
		for i, l := range a.Src[s] {
			if m := b.Src[s][i]; l.V != nil && m.V != nil && l != m {
				return fmt.Errorf("%v: both read lane %d of source %d, differently", a.Op, i, s)
			}
		}
	}
	return nil
}

// Join makes a write the lanes of b too and leaves b without lanes, for the caller to remove. It is the
// inverse of Split. The operations must be equal in every field, the written lanes disjoint, and shared
// source lanes equal. [Dialect.Encodable] decides whether the operands can still be encoded. The caller
// places the joined instruction: after every definition that either reads, before all readers of either. If
// one was precise, the result is.
func Join(a, b *Instr) error {
	if err := joinable(a, b); err != nil {
		return err
	}
	for i := range 4 {
		if b.Out[i] != nil {
			moveLane(b, i, a, i)
		}
	}
	for s := range a.Src {
		for i, l := range b.Src[s] {
			if l.V != nil {
				a.Src[s][i] = l
			}
		}
	}
	b.Src = nil
	a.Precise, a.Decides = a.Precise || b.Precise, a.Decides || b.Decides
	return nil
}

// Permute moves lane i of in to lane p[i]; p must be a permutation. The sources of a lanewise op move along;
// the sources of a replicated one stay. Values stay the same, so no use changes, but readers find a value in
// another component ([Value.ReadComponent]).
func Permute(in *Instr, p [4]uint8) error {
	var seen uint8
	for _, j := range p {
		seen |= 1 << (j & 3)
	}
	if seen != 0xf {
		return fmt.Errorf("%v is not a permutation", p)
	}
	if p == [4]uint8{0, 1, 2, 3} {
		return nil
	}
	if !in.Op.HasFormula() || in.Op.Info().Shape == Positional {
		return fmt.Errorf("lanes of %v have their own meaning", in.Op)
	}
	old := *in
	in.Out, in.Keep, in.Pred = [4]*Value{}, [4]*Value{}, Operand{}
	for i, j := range p {
		if old.Out[i] != nil {
			in.Out[j], in.Keep[j], in.Pred[j] = old.Out[i], old.Keep[i], old.Pred[i]
			in.Out[j].Lane = j
		}
	}
	if in.Op.Info().Shape == Lanewise {
		for s := range in.Src {
			before := in.Src[s]
			for i, j := range p {
				in.Src[s][j] = before[i]
			}
		}
	}
	return nil
}

// ReadComponent returns the component in which v is read: its lane if an instruction writes it, else its home's
// component.
func (v *Value) ReadComponent() int {
	if v.Def != nil && v.Def.Out[v.Lane] == v {
		return int(v.Lane)
	}
	return int(v.Home.Comp)
}

// Swizzles reports which arrangements of the components of one register a dialect can read in one operand.
// Below ps_2_x those are few (the identity, replicates and .yzxw, .zxyw, .wzyx in ps_2_0). It probes the
// dialect with an artificial input in place of a temporary, since [Dialect.Encodable] checks the swizzles of
// leaves only. It caches the answers and is not safe for concurrent use.
type Swizzles struct {
	dialect Dialect
	known   map[arrangement]bool
	leaves  [4]Value
	probe   Instr
}

// arrangement is a key of the cache: from[i] is the component read in lane i, -1 for lanes not read.
type arrangement struct {
	op   Op
	src  int
	from [4]int8
}

// NewSwizzles returns an empty table for d.
func NewSwizzles(d Dialect) *Swizzles {
	s := &Swizzles{dialect: d, known: map[arrangement]bool{}}
	for c := range s.leaves {
		s.leaves[c] = Value{Kind: Input, Home: Reg{Comp: uint8(c)}}
	}
	return s
}

// CanRead reports whether source src of op can read component from[i] in lane i, for every i with from[i] >= 0.
func (s *Swizzles) CanRead(op Op, src int, from [4]int8) bool {
	k := arrangement{op, src, from}
	fits, ok := s.known[k]
	if !ok {
		s.probe = Instr{Op: op, Src: append(s.probe.Src[:0], make([]Operand, src+1)...)}
		for i, c := range from {
			if c >= 0 {
				s.probe.Src[src][i].V = &s.leaves[c]
			}
		}
		fits = s.dialect.Encodable(&s.probe)
		s.known[k] = fits
	}
	return fits
}
