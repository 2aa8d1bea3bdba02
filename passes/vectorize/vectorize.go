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

If two instructions have the same operation and modifiers, and their operands come from the same registers, one
instruction replaces both. Colliding lanes are permuted if the model's swizzles allow it. It makes no join that needs
a new mov, mixes precisions, or mixes outputs of different registers.`,
	Class: passes.Terms,
	Run:   run,
}

const (
	// window is the number of earlier instructions of one key that are tried.
	window = 4
	// maxRounds bounds the repetitions: a join may enable another one before it.
	maxRounds = 8
)

func run(c *passes.Ctx, u *passes.Unit) error {
	for _, f := range u.Funcs() {
		if !Join(f, c.ShouldRewrite) && c.Stopped() {
			return nil
		}
	}
	return nil
}

// Join joins instructions of f where possible, asking step before each join. It reports false if step ever
// refused; such instructions stay apart. Block arguments stay in the registers of their homes, so homes
// decide which of them can be joined.
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

// packer joins the instructions of one function, in one pass.
type packer struct {
	graph
	webs
	step   passes.Grant
	f      *ir.Func
	swz    *ir.Swizzles
	plan   plan
	seen   shelves
	joined int
	// refused records that step refused a join.
	refused bool
}

// idle holds packers for reuse.
var idle = sync.Pool{New: func() any { return &packer{seen: shelves{index: map[uint64]int32{}}} }}

// begin prepares p for f.
func (p *packer) begin(step passes.Grant, f *ir.Func, swz *ir.Swizzles) {
	*p = packer{graph: p.graph, webs: p.webs, seen: p.seen, step: step, f: f, swz: swz,
		plan: plan{moves: p.plan.moves[:0], unions: p.plan.unions[:0], reads: p.plan.reads[:0]}}
	p.graph.buildGraph(f)
	p.webs.buildWebs(f)
}

// maxSources is the maximal number of sources of an op.
const maxSources = 4

// key groups instructions that are worth trying to join. Equal keys are only a hint: [packer.planJoin] decides.
type key struct {
	op   ir.Op
	mods ir.Mods
	res  ir.Resource
	base ir.Reg
	imm  uint32
	src  [maxSources]source
}

// source is the origin of an operand, as precisely as a key needs it. All literals are equal, as they can be
// put into one register.
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

// keyOf returns the key of in. An exact key distinguishes temporaries of different registers, a loose one
// leaves that to the plan.
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
			src.id = p.valueWeb(l.V)
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

// joinable reports whether the pass considers in: it must be pure, unconditional, and not bound to a register
// (addresses, predicates) or to its place (derivatives).
func joinable(in *ir.Instr) bool {
	switch {
	case in.Op == ir.OpLoad || in.Op.Has(ir.IsFetch):
	case !in.Op.HasFormula() || in.Op.Has(ir.Convergent) || in.Op.Has(ir.Special):
		return false
	}
	return !in.IsPredicated() && in.Mask() != 0
}

// joined is the code of the pass's rewrites.
const joined = "joined"

// region joins instructions of r: each with the latest earlier one of the same key, if possible.
func (p *packer) region(r *region) {
	p.seen.reset()
	before := p.joined
	for _, n := range r.nodes {
		in := p.nodes[n].in
		if !joinable(in) || in.Mask() == 0xf {
			continue
		}
		exact, loose := p.keyOf(in, true), p.keyOf(in, false)
		seen := [2]int32{p.seen.shelfOf(&exact), p.seen.shelfOf(&loose)}
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

// partner returns the latest of the candidates that n can be joined with, or -1.
func (p *packer) partner(candidates []int32, n int32) int32 {
	mask := p.nodes[n].in.Mask()
	for i := len(candidates) - 1; i >= 0; i-- {
		a := p.followJoins(candidates[i])
		if bits.OnesCount8(p.nodes[a].in.Mask())+bits.OnesCount8(mask) > 4 {
			continue
		}
		if p.planJoin(a, n, false) || p.nodes[n].in.Op.Has(ir.Commutes) && p.planJoin(a, n, true) {
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

// register returns r without its component.
func register(r ir.Reg) ir.Reg {
	r.Comp = 0
	return r
}
