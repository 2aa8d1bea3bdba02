package kernel

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// place is a component of a constant or a register.
type place struct {
	reg   il.Reg
	index uint32
	comp  int
}

// guess infers the use of constants and generates a launch. A kernel does not contain the types of
// constants, but the instructions that read them imply types. votes counts for each place the reading
// integer instructions minus the reading float instructions. moves propagate votes.
type guess struct {
	k        *il.Kernel
	r        interp.Random
	literals map[il.Reg][4]uint32
	order    []place // constants in the order of their first read, so that results do not depend on map order
	votes    map[place]int
	moves    map[place][]place  // destinations of copies of a place
	labels   map[place][]uint32 // case values of the switches on a place
	banks    []place            // buffers with unknown indices, once each
	style    int                // of defaultStyles
}

func newGuess(k *il.Kernel) *guess {
	g := &guess{k: k, literals: map[il.Reg][4]uint32{}, votes: map[place]int{}, moves: map[place][]place{},
		labels: map[place][]uint32{}}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op == il.OpDclLiteral {
			g.literals[in.Dst.Reg] = in.Imm
		}
	}
	g.collectVotes()
	return g
}

// begin seeds the generator from a seed and a style.
func (g *guess) begin(seed uint64, style int) {
	g.r, g.style = interp.NewRandom(int(uint32(seed^seed>>32))^style<<20), style
}

// randomWord returns a random word.
func (g *guess) randomWord() uint32 { return g.r.Next() }

// randomUpTo returns a number from 1 to n.
func (g *guess) randomUpTo(n uint32) uint32 { return 1 + g.randomWord()>>8%n }

// isConstant reports whether the host sets registers of the file.
func isConstant(f il.File) bool { return f == il.ConstBuf || f == il.ImmConstBuf || f == il.ConstInt }

// collectVotes visits all statements and collects votes: an integer instruction votes for integers, a float
// instruction against them.
func (g *guess) collectVotes() {
	for i := range g.k.Insts {
		in := &g.k.Insts[i]
		if in.Op.Kind() == il.Declaration {
			continue
		}
		vote := 0
		switch in.Op.Kind() {
		case il.Integer:
			vote = 1
		case il.Float, il.Fetch, il.Double:
			vote = -1
		case il.Convert:
			vote = -1
			if in.Op == il.OpIToF || in.Op == il.OpUToF || in.Op == il.OpIToD || in.Op == il.OpUToD {
				vote = 1
			}
		}
		if in.HasDst && in.Dst.Rel != nil {
			g.index(in.Dst.Addr)
		}
		for s := range in.Sources() {
			g.source(i, s, vote)
		}
	}
}

// index votes for a register that indexes.
func (g *guess) index(a il.Addr) {
	for a.Rel != nil {
		g.addVote(place{a.Rel.Reg, a.Rel.Offset, int(a.Rel.Swz.Vector()[0])}, 1)
		a = a.Rel.Addr
	}
}

// addVote adds a vote for a place, and lists constants in the order of their first vote.
func (g *guess) addVote(p place, vote int) {
	if _, ok := g.votes[p]; !ok && isConstant(p.reg.File) {
		g.order = append(g.order, p)
	}
	g.votes[p] += vote
}

// source collects the vote of source s of statement at.
func (g *guess) source(at, s, vote int) {
	in := &g.k.Insts[at]
	src := &in.Src[s]
	index := src.Offset
	if src.Rel != nil {
		g.index(src.Addr)
		at, known := g.literal(src.Rel)
		if !known {
			if p := (place{reg: src.Reg}); isConstant(src.File) && !slices.Contains(g.banks, p) {
				g.banks = append(g.banks, p)
			}
			return
		}
		index += at
	}
	for lane, sel := range in.Reads(s) {
		if sel > il.SelW {
			continue
		}
		p := place{src.Reg, index, int(sel)}
		g.addVote(p, vote)
		if in.Op == il.OpMov && in.Dst.Rel == nil {
			g.moves[p] = append(g.moves[p], place{in.Dst.Reg, in.Dst.Offset, lane})
		}
		if in.Op == il.OpSwitch {
			g.addVote(p, 1)
			g.labels[p] = append(g.labels[p], g.cases(at)...)
		}
	}
}

// literal returns the component of a literal that s reads. Compilers also index constant buffers by
// literals.
func (g *guess) literal(s *il.Src) (v uint32, ok bool) {
	words, ok := g.literals[s.Reg]
	sel := s.Swz.Vector()[0]
	if !ok || sel > il.SelW {
		return 0, false
	}
	return words[sel], true
}

// reach returns the votes of p, and the labels with which switches compare it. It includes the votes of all
// places that p reaches through moves.
func (g *guess) reach(p place) (votes int, labels []uint32) {
	seen := map[place]bool{p: true}
	for list := []place{p}; len(list) > 0; list = list[1:] {
		at := list[0]
		votes += g.votes[at]
		labels = append(labels, g.labels[at]...)
		if g.votes[at] != 0 {
			continue
		}
		for _, to := range g.moves[at] {
			if !seen[to] {
				seen[to] = true
				list = append(list, to)
			}
		}
	}
	return votes, labels
}

// cases returns the case values of the switch at statement at.
func (g *guess) cases(at int) (values []uint32) {
	depth := 0
	for i := at; i < len(g.k.Insts); i++ {
		in := &g.k.Insts[i]
		switch {
		case in.Op.Role() == il.Switch:
			depth++
		case in.Op.Role() == il.EndSwitch:
			if depth--; depth == 0 {
				return values
			}
		case in.Op == il.OpCase && depth == 1:
			values = append(values, in.Imm[0])
		}
	}
	return values
}

// constants sets every constant in the kernel, and a range of each buffer that it indexes by unknown
// values.
func (g *guess) constants(c *Case) {
	for _, p := range g.order {
		votes, labels := g.reach(p)
		v := g.value(votes > 0 || p.reg.File == il.ConstInt)
		if len(labels) > 0 {
			v = labels[g.randomWord()>>8%uint32(len(labels))]
		}
		g.assignConstant(c, p, v)
	}
	for _, b := range g.banks {
		for i := range uint32(defaultReach) {
			for comp := range 4 {
				if p := (place{b.reg, i, comp}); !slices.Contains(g.order, p) {
					g.assignConstant(c, p, g.value(false))
				}
			}
		}
	}
}

// value returns a small number.
func (g *guess) value(integer bool) uint32 {
	style := &defaultStyles[g.style]
	n := style.largest
	if !integer {
		n *= 4 // quarters
	}
	v := g.randomUpTo(n)
	if style.zero && g.randomUpTo(4) == 1 {
		v = 0
	}
	if integer {
		return v
	}
	return math.Float32bits(float32(v) / 4)
}

// assignConstant assigns a word to a constant, and grows its buffer as needed.
func (g *guess) assignConstant(c *Case, p place, v uint32) {
	file, at := &c.Immediate, int64(p.index)
	switch p.reg.File {
	case il.ConstInt:
		file, at = &c.Ints, int64(p.reg.Num)
	case il.ConstBuf:
		if p.reg.Num >= Banks {
			return
		}
		file = &c.Constants[p.reg.Num]
	}
	if at >= maxConstant {
		return
	}
	for len(*file) <= int(at) {
		*file = append(*file, [4]uint32{})
	}
	(*file)[at][p.comp] = v
}

// plane returns an input that varies in both directions.
func (g *guess) plane() Data {
	d := Data{Kind: Linear}
	scale := defaultStyles[g.style].scale
	for c := range 4 {
		d.Plane[0][c] = scale * (float32(g.randomUpTo(16))/16 - 0.5)
		d.Plane[1][c] = scale * float32(g.randomUpTo(16)) / 16 / defaultEdge
		d.Plane[2][c] = scale * float32(g.randomUpTo(16)) / 16 / defaultEdge
	}
	return d
}
