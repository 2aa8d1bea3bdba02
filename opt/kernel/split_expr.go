package kernel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Expr is an expression with a result of 32 bits: a constant, a word, or an operation on other
// expressions. The operations have the names of the IR: flt and fge compare floats, ilt and ult
// compare integers, and others are iand or ftoi. True has all bits set. Two operations only concern
// the sign bit: flip-sign and clear-sign. Exactly one of Constant, Word and Op is set.
type Expr struct {
	Constant string  `json:"constant,omitempty"` // such as cb0[3].x
	Word     string  `json:"word,omitempty"`     // such as 0x3f800000
	Op       string  `json:"op,omitempty"`
	Args     []*Expr `json:"args,omitempty"`
}

// The operations on signs.
const flipSign, clearSign = "flip-sign", "clear-sign"

var signs = map[string]ir.LaneMod{flipSign: ir.Neg, clearSign: ir.Abs}

// maxNodes bounds the size of the expressions that the host evaluates.
const maxNodes = 64

// laneExpr returns the expression of a lane. It returns nil if the lane depends on more than constants,
// on operations that mix lanes, or exceeds the remaining nodes.
func laneExpr(l ir.Lane, left *int) *Expr {
	if *left--; *left < 0 || l.Mod&ir.Not != 0 {
		return nil
	}
	// Convert modifiers to operations. Abs applies before Neg, so Neg is the outer operation.
	for _, m := range []struct {
		mod ir.LaneMod
		op  string
	}{{ir.Neg, flipSign}, {ir.Abs, clearSign}} { // the sign is flipped last
		if l.Mod&m.mod != 0 {
			l.Mod &^= m.mod
			return unless(&Expr{Op: m.op, Args: []*Expr{laneExpr(l, left)}})
		}
	}
	in := l.V.Def
	// Accept leaves, and lane-wise operations whose result depends only on bits. Reject
	// derivatives, fetches and saturating operations.
	switch {
	case l.V.Kind == ir.Literal:
		return &Expr{Word: fmt.Sprintf("%#08x", l.V.Bits)}
	case l.V.Kind == ir.Uniform && il.File(l.V.Home.File) == il.ConstBuf:
		return &Expr{Constant: amdil.RegName(l.V.Home)}
	case l.V.Kind != ir.Result || in == nil || !in.Op.HasFormula() || in.Op.Info().Shape != ir.Lanewise ||
		in.Mods != 0 || in.Imm != 0 || in.Op.Has(ir.Convergent):
		return nil
	}
	if in.Op == ir.OpMov {
		return laneExpr(in.Src[0][l.V.Lane], left)
	}
	e := &Expr{Op: in.Op.String()}
	for s := range in.Src {
		e.Args = append(e.Args, laneExpr(in.Src[s][l.V.Lane], left))
	}
	return unless(e)
}

// unless returns e, or nil if an argument is nil.
func unless(e *Expr) *Expr {
	for _, a := range e.Args {
		if a == nil {
			return nil
		}
	}
	return e
}

// String returns e in the notation of calls.
func (e *Expr) String() string {
	if e.Op == "" {
		return e.Constant + e.Word
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = a.String()
	}
	return e.Op + "(" + strings.Join(args, ", ") + ")"
}

// ops maps names to operations.
var ops = func() map[string]ir.Op {
	m := map[string]ir.Op{}
	for n := range ir.NumOps {
		if op := ir.Op(n); op.HasFormula() {
			m[op.String()] = op
		}
	}
	return m
}()

// eval returns the value of e for constants. known is false if the hardware's result may differ
// from arithmetic with single roundings, as for denormal numbers.
func (e *Expr) eval(constant func(name string) uint32) (word uint32, known bool) {
	switch {
	case e.Constant != "":
		return constant(e.Constant), true
	case e.Word != "":
		n, err := strconv.ParseUint(e.Word, 0, 32)
		return uint32(n), err == nil
	}
	args := make([]uint32, len(e.Args))
	for i, a := range e.Args {
		if args[i], known = a.eval(constant); !known {
			return 0, false
		}
	}
	// Sign operations are bitwise, without rounding.
	if mod, ok := signs[e.Op]; ok && len(args) == 1 {
		return mod.Apply(args[0]), true
	}
	op, ok := ops[e.Op]
	if !ok || op.Info().Shape != ir.Lanewise || op.Info().NSrc != len(args) {
		return 0, false
	}
	// Fold reports that all results are the same on every machine; Fusable that a machine may
	// contract a product and a sum into one rounding.
	alg := &ir.Words{Fold: true}
	word = ir.Eval(alg, op, 0, func(src, _ int) uint32 { return args[src] })
	return word, alg.Fold && !alg.Fusable
}

// constants appends the names of the constants that e reads.
func (e *Expr) constants(names []string) []string {
	if e.Constant != "" {
		names = append(names, e.Constant)
	}
	for _, a := range e.Args {
		names = a.constants(names)
	}
	return names
}

// words appends the words in e.
func (e *Expr) words(list []uint32) []uint32 {
	if e.Word != "" {
		if w, known := e.eval(nil); known {
			list = append(list, w)
		}
	}
	for _, a := range e.Args {
		list = a.words(list)
	}
	return list
}
