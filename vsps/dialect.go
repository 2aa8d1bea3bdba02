package vsps

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// Dialect describes the instructions of a shader model. It implements ir.Dialect. It is immutable,
// and goroutines may share it.
type Dialect struct {
	// model and program are those of the concrete program from which a Func was lifted: emission
	// takes spellings, comments and declarations from it.
	model   d3d9.Model
	program *d3d9.Program
	// limits bound the output, and may be narrower than the model: see [NewDialect].
	limits d3d9.Limits
}

// NewDialect returns the dialect of p. The version token of vs_2_x and ps_2_x does not determine
// the device; d3d9 assumes the most generous device, which is right for reading. The output must
// run where p ran. So it gets the temporaries of p, or the model's minimum if that is larger. It
// gets arbitrary swizzles only if p has one, because ps_2_b, for example, has none.
func NewDialect(p *d3d9.Program) *Dialect {
	d := &Dialect{model: p.Model, program: p, limits: p.Model.Limits()}
	if !p.Model.Extended() {
		return d
	}
	least := d3d9.Model{Stage: p.Model.Stage, Major: 2}.Limits()
	d.limits.Regs[d3d9.Temp] = max(least.Regs[d3d9.Temp], d3d9.Measure(p).Temps)
	for i := range p.Insts {
		for _, s := range p.Insts[i].Sources() {
			if s.File != d3d9.Sampler && least.Swizzles != nil && !slices.Contains(least.Swizzles, s.Swz) {
				return d
			}
		}
	}
	d.limits.Swizzles = least.Swizzles
	return d
}

// DialectFor returns a dialect to write p, which is of the profile's model, within the limits of
// the profile, whatever p uses.
func DialectFor(p *d3d9.Program, to d3d9.Profile) *Dialect {
	return &Dialect{model: p.Model, program: p, limits: to.Limits}
}

// spelling maps each op to its instruction. Ops with the same spelling differ in model or operands:
// expp and logp have four different lanes in version 1 and one result later. mov to an address
// register rounds down in vs_1_1; later models have mova, which rounds to nearest.
var spelling = map[ir.Op]d3d9.Op{
	ir.OpMov: d3d9.OpMov, ir.OpAdd: d3d9.OpAdd, ir.OpMul: d3d9.OpMul, ir.OpMad: d3d9.OpMad,
	ir.OpDp2Add: d3d9.OpDp2add, ir.OpDp3: d3d9.OpDp3, ir.OpDp4: d3d9.OpDp4, ir.OpMin: d3d9.OpMin, ir.OpMax: d3d9.OpMax,
	ir.OpSlt: d3d9.OpSlt, ir.OpSge: d3d9.OpSge, ir.OpCmp: d3d9.OpCmp, ir.OpLrp: d3d9.OpLrp, ir.OpFrc: d3d9.OpFrc,
	ir.OpAbs: d3d9.OpAbs, ir.OpRcp: d3d9.OpRcp, ir.OpRsq: d3d9.OpRsq, ir.OpExp: d3d9.OpExp, ir.OpExpp: d3d9.OpExpp,
	ir.OpExppVec: d3d9.OpExpp, ir.OpLog: d3d9.OpLog, ir.OpLogp: d3d9.OpLogp, ir.OpLogpVec: d3d9.OpLogp,
	ir.OpPow: d3d9.OpPow, ir.OpNrm: d3d9.OpNrm, ir.OpCrs: d3d9.OpCrs, ir.OpLit: d3d9.OpLit, ir.OpDst: d3d9.OpDst,
	ir.OpSgn: d3d9.OpSgn, ir.OpSinCos: d3d9.OpSinCos, ir.OpDsx: d3d9.OpDsx, ir.OpDsy: d3d9.OpDsy,
	ir.OpMova: d3d9.OpMova, ir.OpMovaFloor: d3d9.OpMov, ir.OpSetp: d3d9.OpSetp,
	ir.OpFetch: d3d9.OpTexld, ir.OpFetchProj: d3d9.OpTexldp, ir.OpFetchBias: d3d9.OpTexldb,
	ir.OpFetchLod: d3d9.OpTexldl, ir.OpFetchGrad: d3d9.OpTexldd, ir.OpKill: d3d9.OpTexKill,
}

// RegName implements ir.Dialect.
func (d *Dialect) RegName(r ir.Reg) string {
	return d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}.String() + "." + "xyzw"[r.Comp&3:][:1]
}

// FileRole implements ir.Dialect.
func (d *Dialect) FileRole(f ir.File) ir.Role {
	switch f := d3d9.File(f); {
	case f == d3d9.Temp:
		return ir.RoleTemp
	case f == d3d9.Addr, f == d3d9.Loop, f == d3d9.Predicate:
		return ir.RoleSpecial
	case f.IsOutput():
		return ir.RoleOutput
	}
	return ir.RoleOther
}

// FlushesDenormals implements ir.Dialect. The hardware determines the treatment of subnormal
// numbers, so passes must not rely on it.
func (d *Dialect) FlushesDenormals() bool { return false }

// RoundsProducts implements ir.Dialect: hardware may round mad once or twice.
func (d *Dialect) RoundsProducts() bool { return false }

// Fetches implements ir.Dialect.
func (d *Dialect) Fetches(in *ir.Instr) bool { return in.Op.Has(ir.IsFetch) }

// KeepsOrig implements ir.Dialect: the constants of sincos are taken from the statement.
func (d *Dialect) KeepsOrig() bool { return true }

// Launch implements ir.Dialect: the draw call determines it.
func (d *Dialect) Launch() ir.Launch { return nil }

// Supports implements ir.Dialect.
func (d *Dialect) Supports(op ir.Op) bool {
	s, ok := spelling[op]
	return ok && s.Exists(d.model)
}

// Slots implements ir.Dialect with the tables of the model.
//
// It does not count flow control. An op without a spelling costs nothing: loads of c[a0.x] are
// folded into operands.
func (d *Dialect) Slots(in *ir.Instr) int {
	s, ok := spelling[in.Op]
	if !ok {
		return 0
	}
	one := d3d9.Inst{Op: s, HasPred: in.IsPredicated()}
	a, t := one.Slots(d.model, in.Res.Dim == ir.DimCube)
	return a + t
}

// Encodable implements ir.Dialect. It checks every source separately, and the read ports of all
// together.
func (d *Dialect) Encodable(in *ir.Instr) bool {
	op, ok := spelling[in.Op]
	if !ok {
		return in.Op.Has(ir.Structured) || in.Op == ir.OpLoad
	}
	if !op.Exists(d.model) || in.Mods&ir.Sat != 0 && !d3d9.SatAllowed(d.model, op) {
		return false
	}
	ports := portCount{d: d}
	for k := range in.Src {
		if !d.operandFits(in, op, k, &ports) {
			return false
		}
	}
	return true
}

// operandFits checks one source, as far as its leaves and modifiers determine it.
func (d *Dialect) operandFits(in *ir.Instr, op d3d9.Op, k int, ports *portCount) bool {
	var first *ir.Lane
	var at place     // of first
	var from [4]int8 // component that each lane reads, or -1 if it may have any place
	pure := true     // all lanes from one leaf register
	for i := range in.Src[k] {
		l := &in.Src[k][i]
		from[i] = -1
		// An Undef lane may be read from anywhere, so it does not restrict the operand.
		if l.V == nil || l.V.Kind == ir.Undef {
			continue
		}
		here := sourceIn(in, l.V)
		if first == nil {
			first, at = l, here
			if !d3d9.ModAllowed(d.model, op, sourceIndex(op, k), srcMod(l.Mod)) {
				return false
			}
		}
		// One operand reads one register under one modifier: source modifiers apply to the operand,
		// not to components ("Source Register Modifiers").
		if l.Mod != first.Mod || here != at {
			return false
		}
		if isLeafRead(l.V) && here.kind != ir.Literal {
			from[i] = int8(l.V.Home.Comp)
		} else {
			pure = false
		}
	}
	if first == nil || !isLeafRead(first.V) {
		return true
	}
	if !ports.addSource(at) {
		return false
	}
	shape := swizzleShape(d.model, op, in.Op, k)
	// Below 3_0 coordinates of fetches come from r# or t#, unswizzled; a constant needs a move.
	if at.kind != ir.Literal && shape == swizzleIdentity && first.V.Kind != ir.Input {
		return false // coordinates come from r# or t#
	}
	return !pure || fitSwizzle(d, shape, from, nil) != noSwizzle
}

// place identifies the location from which a leaf is read. All literals count as one place, because
// they can be combined into one register. Places compare by ==.
type place struct {
	kind  ir.Kind
	reg   d3d9.Reg
	index *ir.Value // of an indexed register
}

// isLeafRead reports whether v is read in place, without a temporary: leaves, and relative
// addressing.
func isLeafRead(v *ir.Value) bool {
	return v.IsLeaf() && v.Kind != ir.Undef || v.IsLoaded()
}

// sourceOf returns the place of v.
func sourceOf(v *ir.Value) place {
	switch {
	case v.Kind == ir.Literal:
		return place{kind: ir.Literal}
	case v.IsLeaf():
		return place{kind: v.Kind, reg: d3d9.Reg{File: d3d9.File(v.Home.File), Index: v.Home.Index}}
	case v.IsLoaded():
		return place{reg: d3d9.Reg{File: d3d9.File(v.Def.Base.File), Index: v.Def.Base.Index}, index: v.Def.Src[0][0].V}
	}
	return place{} // a temporary
}

// sourceIn returns the place from which in reads v. If the host keeps a literal in a register of
// which in also reads other components, in reads the literal from there: in
//
//	add r0, c4, r1      with c4.w known to be 1, c4.xyz unknown
//
// the operand must stay c4, where the host has promised to keep the 1.
func sourceIn(in *ir.Instr, v *ir.Value) place {
	if isBeside(in, v) {
		return place{kind: ir.Uniform, reg: d3d9.Reg{File: d3d9.Const, Index: v.Home.Index}}
	}
	return sourceOf(v)
}

// isBeside reports whether v is a literal whose home register also has unknown host components that
// in reads.
func isBeside(in *ir.Instr, v *ir.Value) bool {
	if v.Kind != ir.Literal || d3d9.File(v.Home.File) != d3d9.Const {
		return false
	}
	for s := range in.Src {
		for i := range in.Src[s] {
			w := in.Src[s][i].V
			if w != nil && w.Kind == ir.Uniform && w.Home.File == v.Home.File && w.Home.Index == v.Home.Index {
				return true
			}
		}
	}
	return false
}

// portCount counts the different registers of each file that an instruction reads, and the reads of
// constants. The reference allows one c#, one v# and one t# for each instruction ("Read ports" in the
// register tables of each model). All known compiled programs obey this:
//
//	add r0, c0, c1      not encodable: mov r1, c1 first
//	mad r0, c0.x, r1, c0.y   is: one register twice
//
// The array has room for as many sources as an instruction has.
type portCount struct {
	d      *Dialect
	seen   [4]place
	n      int
	consts int // operands that are constants
}

// addSource records a source and reports whether the ports still suffice. Reads with the same relative
// address are one register; c[a0.x] and c0 are two.
func (p *portCount) addSource(s place) bool {
	file := s.registerFile()
	if file == d3d9.Const {
		p.consts++
	}
	if p.consts > p.d.limits.ConstReads {
		return false
	}
	for _, q := range p.seen[:p.n] {
		if q == s {
			return true
		}
	}
	same := 1
	for _, q := range p.seen[:p.n] {
		if q.registerFile() == file {
			same++
		}
	}
	p.seen[p.n] = s
	p.n++
	limit := d3d9.PortLimit(p.d.model, file)
	return limit == 0 || same <= limit
}

func (s place) registerFile() d3d9.File {
	if s.kind == ir.Literal {
		return d3d9.Const
	}
	return s.reg.File
}

// sourceIndex returns the position of IR source k among the concrete sources of op: a fetch has its
// sampler second.
func sourceIndex(op d3d9.Op, k int) int {
	if op.Kind() == d3d9.TextureOp && k > 0 {
		return k + 1
	}
	return k
}

// srcMod returns the spelling of modifiers. Bias, x2 and similar modifiers of ps_1_x are not IR
// modifiers; see lift_fixed.go.
func srcMod(m ir.LaneMod) d3d9.SrcMod {
	switch m {
	case ir.Neg:
		return d3d9.ModNeg
	case ir.Abs:
		return d3d9.ModAbs
	case ir.Neg | ir.Abs:
		return d3d9.ModAbsNeg
	case ir.Not:
		return d3d9.ModNot
	}
	return d3d9.ModNone
}

// swizzleKind is the requirement of an operand position on its swizzle.
type swizzleKind uint8

const (
	swizzleAny       swizzleKind = iota // any swizzle of the model
	swizzleReplicate                    // one component
	swizzleIdentity                     // texture coordinates before 3_0, texkill, colour outputs
)

// swizzleShape returns the requirement of source k of an instruction. The order of cases matters:
// texldd accepts any swizzle in the models that have it.
func swizzleShape(m d3d9.Model, op d3d9.Op, irop ir.Op, k int) swizzleKind {
	switch {
	// The operand of texkill is encoded as a destination, which has no swizzle.
	case op == d3d9.OpTexKill:
		return swizzleIdentity
	case op.Kind() == d3d9.TextureOp && m.Major < 3 && op != d3d9.OpTexldd:
		return swizzleIdentity
	// crs has "no swizzle" on both sources ("crs - vs", "crs - ps").
	case op == d3d9.OpCrs:
		return swizzleIdentity
	// Scalar instructions and the addend of dp2add take a replicate swizzle.
	case op.IsScalar() || irop == ir.OpDp2Add && k == 2 || op == d3d9.OpSinCos && k == 0:
		return swizzleReplicate
	}
	return swizzleAny
}

// shape returns the requirement of source k on its swizzle. Moves to colour and depth outputs below
// 3_0 allow none: mov oC0, r0 must be complete, mov oDepth, r0.x a replicate ("Output Color
// Register").
func (b *builder) shape(s *stmt, k int) swizzleKind {
	switch {
	case s.colour && b.colourMoves():
		for _, v := range s.out {
			if v >= 0 && d3d9.File(b.file[v]) == d3d9.DepthOut {
				return swizzleReplicate
			}
		}
		return swizzleIdentity
	case s.kind == regalloc.If || s.kind == regalloc.Break, b.writesScalar(s) && d3d9.ReadsByMask(s.op, k):
		return swizzleReplicate
	}
	return swizzleShape(b.d.model, s.op, s.irop, k)
}

// writesScalar reports whether s writes oFog or oPts, whose sources must select one component.
func (b *builder) writesScalar(s *stmt) bool {
	for _, v := range s.out {
		if v >= 0 && d3d9.File(b.file[v]) == d3d9.RastOut {
			return b.pin[v] != d3d9.PosIndex
		}
	}
	return false
}

// noSwizzle means that no legal swizzle fits. 0 is a swizzle (.x), so fitSwizzle returns ints.
const noSwizzle = -1

// fitSwizzle returns a legal swizzle that reads component from[i] in position i, for every i with
// from[i] >= 0. It prefers hint (of the original statement, to keep its spelling), then the
// identity, a replicate, the shortest spelling, and any other of the model. If limits.Swizzles is
// nil, all swizzles are legal.
func fitSwizzle(d *Dialect, shape swizzleKind, from [4]int8, hint *d3d9.Swizzle) int {
	// mask selects the two bits of each relevant position, want has their required values.
	var mask, want d3d9.Swizzle
	for i, c := range from {
		if c >= 0 {
			mask, want = mask|3<<(2*i), want|d3d9.Swizzle(c)<<(2*i)
		}
	}
	fits := func(s d3d9.Swizzle) bool {
		if s&mask != want {
			return false
		}
		switch shape {
		case swizzleIdentity:
			return s == d3d9.Identity
		case swizzleReplicate:
			return s.IsReplicate()
		}
		return d.limits.Swizzles == nil || slices.Contains(d.limits.Swizzles, s)
	}
	if hint != nil && fits(*hint) {
		return int(*hint)
	}
	if fits(d3d9.Identity) {
		return int(d3d9.Identity)
	}
	for c := range 4 {
		if s := d3d9.Replicate(c); fits(s) {
			return int(s)
		}
	}
	// Repeat the last component read, as short spellings do: .xy means .xyyy. Lanes before the
	// first one read use the first component.
	var full [4]int
	last := 0
	for _, c := range from {
		if c >= 0 {
			last = int(c)
			break
		}
	}
	for i, c := range from {
		if c >= 0 {
			last = int(c)
		}
		full[i] = last
	}
	if s := d3d9.MakeSwizzle(full[0], full[1], full[2], full[3]); fits(s) {
		return int(s)
	}
	for _, s := range d.limits.Swizzles {
		if fits(s) {
			return int(s)
		}
	}
	return noSwizzle
}
