package vectorize

import (
	"math/bits"
	"sync"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the pass "vectorize".
var Pass = &passes.Pass{
	Name: "vectorize",
	Doc: `join instructions that do the same operation on different lanes

Instructions with the same operation and modifiers whose operands come from the
same registers are replaced by one that writes the lanes of both; lanes are
permuted where they collide and the swizzles of the model allow it. Sampling and
other positional operations are joined where their operands are the same.

It declines predicated and partial-precision-mixing joins, joins that would mix
outputs of different registers, and whatever would need a mov that was not
needed before.`,
	Class: passes.Terms,
	Run:   run,
}

const (
	// window is how many earlier instructions of one key are tried.
	window = 4
	// maxRounds bounds the repetitions: a join may enable another one before it.
	maxRounds = 8
)

func run(c *passes.Ctx, u *passes.Unit) error {
	for _, f := range u.Funcs() {
		if !Join(f, c.Step) && c.Stopped() {
			return nil
		}
	}
	return nil
}

// Join joins the instructions of f that can be, asking step before each time. It reports
// false if that ever said no; such instructions stay apart. Values stay in the registers that their homes name as far as
// control flow hands them over, so homes decide which of those can be joined.
func Join(f *ir.Func, step passes.Grant) bool {
	swz := ir.NewSwizzles(f.Dialect)
	p := idle.Get().(*packer)
	defer idle.Put(p)
	agreed := true
	for range maxRounds {
		p.begin(step, f, swz)
		for i := range p.regions {
			p.region(&p.regions[i])
		}
		agreed = agreed && !p.refused
		if p.joined == 0 {
			break
		}
	}
	return agreed
}

// packer joins the instructions of one function, once through.
type packer struct {
	graph
	webs
	step   passes.Grant
	f      *ir.Func
	swz    *ir.Swizzles
	plan   plan
	seen   shelves
	joined int
	// refused tells that step said no.
	refused bool
}

// idle are packers to be used again.
var idle = sync.Pool{New: func() any { return &packer{seen: shelves{index: map[uint64]int32{}}} }}

// begin makes p ready for f.
func (p *packer) begin(step passes.Grant, f *ir.Func, swz *ir.Swizzles) {
	*p = packer{graph: p.graph, webs: p.webs, seen: p.seen, step: step, f: f, swz: swz,
		plan: plan{moves: p.plan.moves[:0], unions: p.plan.unions[:0], reads: p.plan.reads[:0]}}
	p.graph.of(f)
	p.webs.of(f)
}

// maxSources is how many sources an op has at most.
const maxSources = 4

// key gathers instructions worth trying to join. Equal keys are no promise:
// [packer.try] decides.
type key struct {
	op   ir.Op
	mods ir.Mods
	res  ir.Resource
	base ir.Reg
	imm  uint32
	src  [maxSources]source
}

// source is what an operand is read from, as far as a key tells. Literals are all
// alike, as they can be put into one register.
type source struct {
	kind ir.Kind
	mod  ir.LaneMod
	reg  ir.Reg // of an input or uniform
	id   int32  // of a temporary in an exact key: its web, or the value itself
}

func (s source) less(t source) bool {
	if s.kind != t.kind {
		return s.kind < t.kind
	}
	if s.id != t.id {
		return s.id < t.id
	}
	if s.reg.Index != t.reg.Index {
		return s.reg.Index < t.reg.Index
	}
	return s.mod < t.mod
}

// keyOf is the key of in. An exact key tells temporaries of different registers
// apart, a loose one leaves that to be arranged.
func (p *packer) keyOf(in *ir.Instr, exact bool) key {
	k := key{op: in.Op, mods: in.Mods, res: in.Res, base: in.Base, imm: in.Imm}
	same := !lanesMove(in.Op)
	for s := range in.Src {
		l := first(&in.Src[s])
		if l == nil {
			continue
		}
		src := source{kind: l.V.Kind, mod: l.Mod}
		switch {
		case same:
			src.id = int32(l.V.ID)
		case l.V.Kind == ir.Input || l.V.Kind == ir.Uniform:
			src.reg = register(l.V.Home)
		case l.V.Kind == ir.Literal:
		case exact:
			src.id = p.root(l.V)
		}
		k.src[s] = src
	}
	if in.Op.Has(ir.Commutes) && k.src[1].less(k.src[0]) {
		k.src[0], k.src[1] = k.src[1], k.src[0]
	}
	return k
}

// lanesMove reports whether lanes of op are independent of each other, so that
// instructions with different operands may be joined.
func lanesMove(op ir.Op) bool { return op.HasFormula() && op.Info().Shape == ir.Lanewise }

// joinable reports whether the pass looks at in at all: pure, unconditional, and
// not bound to a register (addresses, predicates) or to its place (derivatives).
func joinable(in *ir.Instr) bool {
	switch {
	case in.Op == ir.OpLoad || in.Op.Has(ir.IsFetch):
	case !in.Op.HasFormula() || in.Op.Has(ir.Convergent) || in.Op.Has(ir.Special):
		return false
	}
	return !in.IsPredicated() && in.Mask() != 0
}

// joined is the kind of rewrites that the pass makes.
const joined = "joined"

// region joins what it can in r: each instruction with the latest before it that has
// the same key.
func (p *packer) region(r *region) {
	p.seen.reset()
	before := p.joined
	for _, n := range r.nodes {
		in := p.nodes[n].in
		if !joinable(in) || in.Mask() == 0xf {
			continue
		}
		exact, loose := p.keyOf(in, true), p.keyOf(in, false)
		seen := [2]int32{p.seen.find(&exact), p.seen.find(&loose)}
		a := int32(-1)
		for _, list := range seen {
			if a = p.partner(p.seen.lists[list].list(), n); a >= 0 {
				break
			}
		}
		if a >= 0 && p.step(in, joined, "joined with one before") {
			p.commit()
			p.joined++
			continue
		}
		p.refused = p.refused || a >= 0
		for i, list := range seen {
			if i == 0 || list != seen[0] {
				p.seen.lists[list].add(n)
			}
		}
	}
	if p.joined > before {
		p.reorder(r)
	}
}

// partner finds the latest of the candidates that n can be joined with.
func (p *packer) partner(candidates []int32, n int32) int32 {
	mask := p.nodes[n].in.Mask()
	for i := len(candidates) - 1; i >= 0; i-- {
		a := p.find(candidates[i])
		if bits.OnesCount8(p.nodes[a].in.Mask())+bits.OnesCount8(mask) > 4 {
			continue
		}
		if p.try(a, n, false) || p.nodes[n].in.Op.Has(ir.Commutes) && p.try(a, n, true) {
			return a
		}
	}
	return -1
}

func first(o *ir.Operand) *ir.Lane {
	for i := range o {
		if o[i].V != nil {
			return &o[i]
		}
	}
	return nil
}

// register is r without its component.
func register(r ir.Reg) ir.Reg {
	r.Comp = 0
	return r
}
