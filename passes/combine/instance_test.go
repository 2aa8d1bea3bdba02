package combine

import (
	"go/ast"
	"math"
	"math/bits"
	"regexp"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// operationOf returns the operation of e.
func operationOf(e *ast.CallExpr) (op ir.Op, sat bool) {
	name, sat := strings.CutSuffix(e.Fun.(*ast.Ident).Name, "_sat")
	return opNamed(name), sat
}

func opNamed(name string) ir.Op {
	for op := ir.Op(1); int(op) < ir.NumOps; op++ {
		if op.String() == name {
			return op
		}
	}
	return ir.OpInvalid
}

// instr builds the operation e, with a given mask, and its operands before it.
func (p *prover) instr(e *ast.CallExpr, mask uint8) *ir.Instr {
	in := &ir.Instr{Orig: -1}
	var sat bool
	if in.Op, sat = operationOf(e); sat {
		in.Mods = ir.Sat
	}
	p.foreign = p.foreign || !p.f.Dialect.Supports(in.Op)
	in.Src = make([]ir.Operand, len(e.Args))
	for i := range 4 {
		if mask>>i&1 != 0 {
			p.f.Define(in, i, ir.Reg{File: p.leaves[0].Out[0].Home.File, Index: uint16(20 + p.f.NumValues()), Comp: uint8(i)})
		}
	}
	for s, arg := range e.Args {
		in.Src[s] = p.operand(arg, in.Reads(s))
	}
	p.f.Body.Code = append(p.f.Body.Code, in)
	return in
}

// operand builds an operand for some lanes. A name that occurred before reads the same operand again.
func (p *prover) operand(e ast.Expr, lanes uint8) (o ir.Operand) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return p.literal(lanes, rules.Number(e.Value, p.words))
	case *ast.UnaryExpr:
		if n, ok := e.X.(*ast.BasicLit); ok {
			return p.literal(lanes, rules.Number("-"+n.Value, p.words))
		}
		return negatedOperand(p.operand(e.X, lanes))
	case *ast.BinaryExpr:
		o, sign := p.operand(e.Y, lanes), e.X
		if minus, ok := sign.(*ast.UnaryExpr); ok {
			o, sign = negatedOperand(o), minus.X
		}
		name := sign.(*ast.Ident).Name
		if _, ok := p.signs[name]; !ok {
			p.signs[name] = p.rng.IntN(2) == 0
		}
		if p.signs[name] {
			o = negatedOperand(o)
		}
		return o
	case *ast.Ident:
		if b, ok := p.bound[e.Name]; ok {
			return fitted(b, lanes)
		}
		if e.Name[0] <= 'Z' {
			o = p.literals(lanes)
		} else {
			o = p.variable(lanes)
		}
		p.bound[e.Name] = o
		return o
	}
	call := e.(*ast.CallExpr)
	if call.Fun.(*ast.Ident).Name == "shared" {
		return p.operand(call.Args[0], lanes)
	}
	op, _ := operationOf(call)
	if op.Info().Shape == ir.Replicated {
		in := p.instr(call, 1<<p.rng.IntN(4))
		for i := range o {
			if lanes>>i&1 != 0 {
				o[i] = ir.Lane{V: in.Out[bits.TrailingZeros8(in.Mask())]}
			}
		}
		return o
	}
	in := p.instr(call, lanes)
	if op.Info().Shape == ir.Positional {
		for i, v := range in.Out {
			o[i].V = v
		}
		return o
	}
	// The lanes in random order: positions of results, and the operands along with them.
	order := p.rng.Perm(4)
	old := *in
	in.Out = [4]*ir.Value{}
	in.Src = make([]ir.Operand, len(old.Src))
	for i, v := range old.Out {
		if v == nil {
			continue
		}
		j := order[i]
		in.Out[j], v.Lane, v.Home.Comp = v, uint8(j), uint8(j)
		for s := range in.Src {
			in.Src[s][j] = old.Src[s][i]
		}
		o[i].V = v
	}
	return o
}

// disturb changes an operand of one of the pattern's instructions: to the negatedOperand one, or to any variable.
func (p *prover) disturb(code []*ir.Instr) {
	in := code[p.rng.IntN(len(code))]
	s := p.rng.IntN(len(in.Src))
	if !p.words && p.rng.IntN(2) == 0 {
		in.Src[s] = negatedOperand(in.Src[s])
		return
	}
	in.Src[s] = p.variable(in.Reads(s))
}

func negatedOperand(o ir.Operand) ir.Operand {
	for i := range o {
		if o[i].V != nil {
			o[i].Mod = o[i].Mod.ComposeWith(ir.Neg)
		}
	}
	return o
}

// fitted returns o for a set of lanes.
func fitted(o ir.Operand, lanes uint8) ir.Operand {
	first := ir.Lane{}
	for _, l := range o {
		if first.V == nil {
			first = l
		}
	}
	for i := range o {
		if lanes>>i&1 == 0 {
			o[i] = ir.Lane{}
		} else if o[i].V == nil {
			o[i] = first
		}
	}
	return o
}

// known matches conditions on variables.
var known = regexp.MustCompile(`low|high|mask`)

// variable reads random lanes of a value of the frame.
func (p *prover) variable(lanes uint8) (o ir.Operand) {
	plain := len(p.leaves) - 1
	leaf := p.leaves[p.next%plain] // a different one each time
	p.next++
	if known.MatchString(p.rule.Where) && p.rng.IntN(2) == 0 {
		leaf = p.leaves[plain]
	}
	negative := !p.words && p.rng.IntN(4) == 0
	for i := range o {
		if lanes>>i&1 != 0 {
			o[i] = ir.Lane{V: leaf.Out[p.rng.IntN(4)]}
		}
	}
	if negative {
		return negatedOperand(o)
	}
	return o
}

func (p *prover) literal(lanes uint8, w uint32) (o ir.Operand) {
	for i := range o {
		if lanes>>i&1 != 0 {
			o[i].V = p.f.Const(w)
		}
	}
	return o
}

// literals returns random literals that conditions are likely to accept: mostly one for all lanes.
func (p *prover) literals(lanes uint8) (o ir.Operand) {
	o = p.literal(lanes, p.randomBits())
	for i := range o {
		if o[i].V != nil && p.rng.IntN(4) == 0 {
			o[i].V = p.f.Const(p.randomBits())
		}
	}
	return o
}

func (p *prover) randomBits() uint32 {
	if p.words {
		choices := []uint32{0, 1, 2, 3, 4, 7, 15, 31, 32, 33, math.MaxUint32, p.last, ^p.last, 32 - p.last, -p.last,
			1 << p.rng.IntN(32), p.rng.Uint32N(40), p.rng.Uint32()}
		p.last = choices[p.rng.IntN(len(choices))]
		return p.last
	}
	choices := []float32{0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 4, -4, 1.5, 0.25, 6, 100}
	return math.Float32bits(choices[p.rng.IntN(len(choices))])
}
