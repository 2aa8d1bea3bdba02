package split

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Expr computes a word of 32 bits: a constant, a word, or an operation on other words. The
// operations are those of the IR by name, such as flt and fge, which compare floats, ilt and ult,
// which compare integers, iand, or ftoi; what is true has all bits set. Two are about the sign bit
// alone: flip-sign and clear-sign.
// Exactly one of Constant, Word and Op is set.
type Expr struct {
	Constant string  `json:"constant,omitempty"` // such as cb0[3].x
	Word     string  `json:"word,omitempty"`     // such as 0x3f800000
	Op       string  `json:"op,omitempty"`
	Args     []*Expr `json:"args,omitempty"`
}

// The operations on signs.
const flipSign, clearSign = "flip-sign", "clear-sign"

var signs = map[string]ir.LaneMod{flipSign: ir.Neg, clearSign: ir.Abs}

// maxNodes bounds what the host is asked to evaluate.
const maxNodes = 64

// expr is the expression of a lane, nil if it depends on more than constants, on operations that
// mix lanes, or takes more than what is left of nodes.
func expr(l ir.Lane, left *int) *Expr {
	if *left--; *left < 0 || l.Mod&ir.Not != 0 {
		return nil
	}
	// Modifiers become operations of their own. Abs comes first in evaluation, Neg is applied last,
	// so Neg is the outer one.
	for _, m := range []struct {
		mod ir.LaneMod
		op  string
	}{{ir.Neg, flipSign}, {ir.Abs, clearSign}} { // the sign is flipped last
		if l.Mod&m.mod != 0 {
			l.Mod &^= m.mod
			return unless(&Expr{Op: m.op, Args: []*Expr{expr(l, left)}})
		}
	}
	in := l.V.Def
	// Leaves, and operations that go lane by lane and have a result that follows from bits alone.
	// Derivatives, fetches and what saturates are left out.
	switch {
	case l.V.Kind == ir.Literal:
		return &Expr{Word: fmt.Sprintf("%#08x", l.V.Bits)}
	case l.V.Kind == ir.Uniform && il.File(l.V.Home.File) == il.ConstBuf:
		return &Expr{Constant: amdil.RegName(l.V.Home)}
	case l.V.Kind != ir.Result || in == nil || !in.Op.HasFormula() || in.Op.Info().Shape != ir.Lanewise || in.Mods != 0 || in.Imm != 0 || in.Op.Has(ir.Convergent):
		return nil
	}
	if in.Op == ir.OpMov {
		return expr(in.Src[0][l.V.Lane], left)
	}
	e := &Expr{Op: in.Op.String()}
	for s := range in.Src {
		e.Args = append(e.Args, expr(in.Src[s][l.V.Lane], left))
	}
	return unless(e)
}

// unless is e, nil if an argument is.
func unless(e *Expr) *Expr {
	for _, a := range e.Args {
		if a == nil {
			return nil
		}
	}
	return e
}

// String writes e as a call.
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

// ops finds operations by name.
var ops = func() map[string]ir.Op {
	m := map[string]ir.Op{}
	for n := range ir.NumOps {
		if op := ir.Op(n); op.HasFormula() {
			m[op.String()] = op
		}
	}
	return m
}()

// eval is what e comes to for constants. It is not known where the hardware may have another
// result than arithmetic with single roundings, as of numbers that are not normal.
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
	// Signs are bit operations, without rounding.
	if mod, ok := signs[e.Op]; ok && len(args) == 1 {
		return mod.Apply(args[0]), true
	}
	op, ok := ops[e.Op]
	if !ok || op.Info().Shape != ir.Lanewise || op.Info().NSrc != len(args) {
		return 0, false
	}
	// Fold tells that all results are the same on every machine; Fusable that a machine may
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

// words appends the words that e names.
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
