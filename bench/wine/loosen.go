package wine

import (
	"math"
	"math/rand/v2"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// firstConst is the first constant register for random numbers. Programs cannot name it, and can hardly reach
// it by a relative address. Only the interpreter reads loosened programs, and it has no limit.
const firstConst = 1024

// Differences between llvmpipe and the interpreter. Those of functions were measured over the ranges that
// shaders use.
const (
	// roundingError is the relative error of sums and products.
	roundingError = 0x1p-23
	// functionError is the relative error of exp, pow, rsq, sincos and functions made of them.
	functionError = 4e-7
	// logError is an absolute error: the polynomial for log2 misses the zero at 1. In pow it is a relative
	// error of the base.
	logError = 3e-7
	// interpolationError is the absolute error of inputs interpolated in float32 from values between 1 and 10
	// at the vertices. interpolationRounding is a relative error of two units in the last place, which is
	// larger for larger values.
	interpolationError    = 0x1p-19
	interpolationRounding = 0x1p-22
	// coordinateError is the absolute error of texture coordinates, of which samplers keep a fixed number of
	// bits. texelError is that of a mean of texels between 0 and 1.
	coordinateError = 0x1p-22
	texelError      = 0x1p-22
)

// slack is the perturbation of an operation: multiplication by a number about 1, or addition of a number about
// 0. The zero slack changes nothing.
type slack struct {
	op   d3d9.Op
	size float64
}

func relative(size float64) slack { return slack{d3d9.OpMul, size} }
func absolute(size float64) slack { return slack{d3d9.OpAdd, size} }

// slackOf returns the perturbations of an instruction's first source and of its result. mad and dot products
// may be fused or not, so a factor is perturbed: after cancellation, this moves the result by more than a
// relative error of the result would. Exact operations have no slack.
func slackOf(op d3d9.Op) (source, result slack) {
	switch op {
	case d3d9.OpMul, d3d9.OpMad, d3d9.OpDp2add, d3d9.OpDp3, d3d9.OpDp4, d3d9.OpLrp, d3d9.OpCrs,
		d3d9.OpM4x4, d3d9.OpM4x3, d3d9.OpM3x4, d3d9.OpM3x3, d3d9.OpM3x2:
		return relative(roundingError), slack{}
	case d3d9.OpAdd, d3d9.OpSub, d3d9.OpRcp:
		return slack{}, relative(roundingError)
	case d3d9.OpNrm:
		return relative(roundingError), relative(functionError)
	case d3d9.OpRsq, d3d9.OpExp, d3d9.OpExpp, d3d9.OpSinCos, d3d9.OpLit:
		return slack{}, relative(functionError)
	case d3d9.OpPow:
		return relative(logError), relative(functionError)
	case d3d9.OpLog, d3d9.OpLogp:
		return slack{}, absolute(logError)
	case d3d9.OpTexld, d3d9.OpTexldp, d3d9.OpTexldb, d3d9.OpTexldl, d3d9.OpTexldd:
		return absolute(coordinateError), absolute(texelError)
	}
	return slack{}, slack{}
}

// loosen rewrites p so that its result shows how much it depends on choices of an implementation. Operations
// and interpolated inputs are perturbed by a random part of their slack. In a pixel program the part differs
// between pixels, as roundings do.
func loosen(p *d3d9.Program, r *rand.Rand) *d3d9.Program {
	l := loosener{
		Rand:   r,
		temps:  afterLast(p, d3d9.Temp),
		consts: firstConst,
		inputs: map[d3d9.Reg]d3d9.Reg{},
		loaded: fixedPoint(p) && p.Model.Minor < 4,
	}
	if p.Model.Stage == d3d9.Pixel {
		l.makeNoise()
		l.copyInputs(p)
	}
	if fixedPoint(p) {
		l.fixed(p)
	} else {
		l.floating(p)
	}
	q := *p
	q.Insts = append(l.defs, l.code...)
	return &q
}

// floating perturbs the statements of p, a floating-point program. mad r0, v0, c1, r1 becomes
//
//	mul r9, v0', s            ; v0' the copy of the input, s random numbers around 1
//	mad r0, r9, c1, r1
//
// Results that go to outputs are not perturbed: the last rounding is within the tolerances.
func (l *loosener) floating(p *d3d9.Program) {
	for _, in := range p.Insts {
		l.redirect(&in)
		source, result := slackOf(in.Op)
		if source.size != 0 {
			to := l.unusedTemp()
			l.apply(source, writes(to), in.Src[0], d3d9.Inst{})
			in.Src[0] = reads(to)
		}
		l.code = append(l.code, in)
		if result.size != 0 && in.Dst.File == d3d9.Temp {
			l.apply(result, in.Dst, reads(in.Dst.Reg), in)
		}
	}
}

// loosener is the state of loosen.
type loosener struct {
	*rand.Rand
	defs, code    []d3d9.Inst           // definitions of the random constants, and the new statements
	temps, consts int                   // the first unused registers
	noise         d3d9.Reg              // numbers from -1 to 1 that differ between pixels
	inputs        map[d3d9.Reg]d3d9.Reg // copies of the interpolated inputs
	loaded        bool                  // t# holds results of instructions, not inputs
}

// unusedTemp returns an unused temporary register. It may be beyond the limit of the model.
func (l *loosener) unusedTemp() d3d9.Reg {
	l.temps++
	return d3d9.Reg{File: d3d9.Temp, Index: uint16(l.temps - 1)}
}

// constant returns a new constant register of random numbers from middle-size to middle+size.
func (l *loosener) constant(middle, size float64) d3d9.Src {
	r := d3d9.Reg{File: d3d9.Const, Index: uint16(l.consts)}
	l.consts++
	def := d3d9.Inst{Op: d3d9.OpDef, HasDst: true, Dst: writes(r)}
	for c := range def.Imm {
		def.Imm[c] = math.Float32bits(float32(middle + (2*l.Float64()-1)*size))
	}
	l.defs = append(l.defs, def)
	return reads(r)
}

// reads and writes return operands of whole registers.
func reads(r d3d9.Reg) d3d9.Src  { return d3d9.Src{Reg: r, Swz: d3d9.Identity} }
func writes(r d3d9.Reg) d3d9.Dst { return d3d9.Dst{Reg: r, Mask: d3d9.MaskAll} }

// addStatement appends a statement. The pointer is valid until the next call.
func (l *loosener) addStatement(op d3d9.Op, dst d3d9.Dst, src ...d3d9.Src) *d3d9.Inst {
	in := d3d9.Inst{Op: op, HasDst: true, Dst: dst, NSrc: uint8(len(src))}
	copy(in.Src[:], src)
	l.code = append(l.code, in)
	return &l.code[len(l.code)-1]
}

// makeNoise computes the noise of a pixel from its position: 2*frac(x*a + y*b) - 1 with random a, b in each
// component.
func (l *loosener) makeNoise() {
	l.noise = l.unusedTemp()
	dst, n := writes(l.noise), reads(l.noise)
	position := reads(d3d9.Reg{File: d3d9.Misc, Index: d3d9.VPosIndex})
	x, y := position, position
	x.Swz, y.Swz = d3d9.Replicate(0), d3d9.Replicate(1)
	// mad reads two constants here, which the interpreter allows.
	l.addStatement(d3d9.OpMad, dst, x, l.constant(0, 1), l.constant(0, 1))
	l.addStatement(d3d9.OpMad, dst, y, l.constant(0, 1), n)
	l.addStatement(d3d9.OpFrc, dst, n)
	l.addStatement(d3d9.OpAdd, dst, n, n)
	l.addStatement(d3d9.OpAdd, dst, n, l.constant(-1, 0))
}

// apply writes src, perturbed by s, to dst, under the predicate of in. In half of the calls the perturbation is
// zero, so that large slacks do not always hide small ones.
func (l *loosener) apply(s slack, dst d3d9.Dst, src d3d9.Src, in d3d9.Inst) {
	if l.IntN(2) == 0 {
		s.size = 0
	}
	middle := 0.0
	if s.op == d3d9.OpMul {
		middle = 1
	}
	amount := l.constant(middle, s.size)
	if l.noise.File != d3d9.NoFile {
		to := l.unusedTemp()
		l.addStatement(d3d9.OpMad, writes(to), reads(l.noise), l.constant(0, s.size), amount)
		amount = reads(to)
	}
	off := l.addStatement(s.op, dst, src, amount)
	off.HasPred, off.Pred = in.HasPred, in.Pred
}

// copyInputs copies the interpolated inputs that p reads directly into registers, and perturbs them. Inputs
// read by a relative address stay unchanged.
func (l *loosener) copyInputs(p *d3d9.Program) {
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op == d3d9.OpTexKill {
			l.copyInput(in.Dst.Reg)
		}
		for _, s := range in.Sources() {
			if s.Rel.File == d3d9.NoFile {
				l.copyInput(s.Reg)
			}
		}
	}
}

func (l *loosener) copyInput(r d3d9.Reg) {
	if _, done := l.inputs[r]; done || r.File != d3d9.Input && (r.File != d3d9.Texture || l.loaded) {
		return
	}
	l.inputs[r] = l.unusedTemp()
	to := l.inputs[r]
	l.apply(absolute(interpolationError), writes(to), reads(r), d3d9.Inst{})
	l.apply(relative(interpolationRounding), writes(to), reads(to), d3d9.Inst{})
}

// redirect replaces the inputs that in reads by their copies.
func (l *loosener) redirect(in *d3d9.Inst) {
	if to, ok := l.inputs[in.Dst.Reg]; ok && in.Op == d3d9.OpTexKill {
		in.Dst.Reg = to
	}
	for i := range in.Sources() {
		if to, ok := l.inputs[in.Src[i].Reg]; ok && in.Src[i].Rel.File == d3d9.NoFile {
			in.Src[i].Reg = to
		}
	}
}

// afterLast returns the first register of a file after those that p writes.
func afterLast(p *d3d9.Program, file d3d9.File) int {
	next := 0
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.HasDst && in.Dst.File == file {
			next = max(next, int(in.Dst.Index)+1)
		}
	}
	return next
}
