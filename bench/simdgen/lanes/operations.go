package lanes

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// operation is a row of the table of operations. body writes code for the current vector (k.at); doc
// describes the result for operands a, b and so on. The interpreter's loops (package interp, kernel.go)
// compute the same bits; tests compare them.
type operation struct {
	name     string
	doc      string
	patterns []string // of operands; the one without scalars comes first
	literals []uint32 // that body uses, broadcast before the first vector
	body     func(k *kernel)
}

// Literals of kernels.
const (
	signBit  = 1 << 31
	absolute = signBit - 1
	exponent = 0x7f800000
)

// bits returns the word of a float.
func bits(x float32) uint32 { return math.Float32bits(x) }

// forms returns the patterns of n operands of which not all are scalars: VV, SV, VS for two. The first has
// no scalars.
func forms(n int) (list []string) {
	for m := range 1<<n - 1 {
		p := make([]byte, n)
		for i := range p {
			p[i] = "VS"[m>>i&1]
		}
		list = append(list, string(p))
	}
	return list
}

// arithmetic is one of the four arithmetics of multiplying operations: plain, with zero products (Z), with
// sums of products rounded once (F), and with both (ZF). See interp.Numerics.
type arithmetic struct {
	name        string
	zero, fused bool
}

// plain reports whether products are those of IEEE 754, each rounded.
func (n arithmetic) plain() bool { return !n.zero && !n.fused }

// mul returns a product. Z keeps it only in the lanes where no factor is zero.
func (n arithmetic) mul(k *kernel, a, b reg.Register) reg.Register {
	if !n.zero {
		return k.mul(a, b)
	}
	m := k.nonzero(a, b)
	return k.where(m, k.mul(a, b))
}

// mad returns a product plus c. The fused form overwrites r = b with a*b + c. Under ZF a zero product adds
// +0, which changes c = -0 to +0.
func (n arithmetic) mad(k *kernel, a, b reg.Register, c Op) reg.Register {
	if !n.fused {
		return k.add(n.mul(k, a, b), c)
	}
	r := k.temp()
	k.VMOVAPS(b, r)
	k.VFMADD213PS(c, a, r)
	if !n.zero {
		return r
	}
	return k.choose(k.nonzero(a, b), r, k.add(k.literal(0), c))
}

// neg returns -x.
func neg(k *kernel, x Op) reg.Register { return k.xor(k.word(signBit), x) }

// dot returns a sum of products of the first i operands, in pairs and in order: the first is a product, a
// mad adds each of the others.
func (n arithmetic) dot(k *kernel, i int) reg.Register {
	sum := n.mul(k, k.load(0), k.load(1))
	for j := 2; j+1 < i; j += 2 {
		if n.fused {
			sum = n.mad(k, k.load(j), k.load(j+1), sum)
		} else {
			sum = k.add(sum, n.mul(k, k.load(j), k.load(j+1)))
		}
	}
	return sum
}

// products returns the rows of the multiplying operations in one arithmetic.
func products(n arithmetic) []operation {
	pick := func(with []string) []string {
		if n.plain() {
			return with
		}
		return with[:1] // constants are Vecs there
	}
	var literals []uint32
	if !n.plain() {
		literals = []uint32{0, signBit}
	}
	rows := []operation{
		{"Mad", "a*b + c", pick(forms(3)), literals, func(k *kernel) {
			if n.plain() {
				k.store(k.add(k.mul(k.load(0), k.src(1)), k.src(2)))
			} else {
				k.store(n.mad(k, k.load(0), k.load(1), k.src(2)))
			}
		}},
		{"Msub", "a*b - c", pick(forms(3)), literals, func(k *kernel) {
			if n.plain() {
				k.store(k.sub(k.mul(k.load(0), k.src(1)), k.src(2)))
			} else {
				k.store(n.mad(k, k.load(0), k.load(1), neg(k, k.src(2))))
			}
		}},
		{"Nmsub", "c - a*b", pick(forms(3)), literals, func(k *kernel) {
			if n.plain() {
				p := k.mul(k.load(0), k.src(1))
				k.store(k.sub(k.load(2), p))
			} else {
				k.store(n.mad(k, neg(k, k.src(0)), k.load(1), k.src(2)))
			}
		}},
		{"Lrp", "a*(b-c) + c", pick(forms(3)), literals, func(k *kernel) {
			k.store(n.mad(k, k.load(0), k.sub(k.load(1), k.src(2)), k.src(2)))
		}},
		{"Cross", "a*b - c*d", []string{"VVVV"}, literals, func(k *kernel) {
			p := n.mul(k, k.load(0), k.load(1))
			if n.plain() {
				k.store(k.sub(p, k.mul(k.load(2), k.src(3))))
			} else {
				k.store(n.mad(k, neg(k, k.src(2)), k.load(3), p))
			}
		}},
		{"Dp2", "a*b + c*d + e", pick([]string{"VVVVV", "VVVVS", "VSVSV", "VSVSS"}), literals, func(k *kernel) {
			k.store(k.add(n.dot(k, 4), k.src(4)))
		}},
		{"Dp3", "a*b + c*d + e*f", pick([]string{"VVVVVV", "VSVSVS", "SVSVSV"}), literals, func(k *kernel) {
			k.store(n.dot(k, 6))
		}},
		{"Dp4", "a*b + c*d + e*f + g*h", pick([]string{"VVVVVVVV", "VSVSVSVS", "SVSVSVSV"}), literals, func(k *kernel) {
			k.store(n.dot(k, 8))
		}},
	}
	if n.plain() || n.zero && !n.fused {
		mul := operation{"Mul", "a * b", pick(forms(2)), literals,
			func(k *kernel) { k.store(n.mul(k, k.load(0), k.load(1))) }}
		if n.plain() {
			mul.body = func(k *kernel) { k.store(k.mul(k.load(0), k.src(1))) }
		}
		rows = append(rows, mul)
	}
	for i := range rows {
		rows[i].name += n.name
	}
	return rows
}

// halves computes in float64: it applies f to either half of the current vector, widened, and rounds to
// float32 once. f may use temporaries, which are free again for the other half.
func halves(k *kernel, f func(d reg.Register)) {
	half := k.wide * 2 // bytes
	for h := range 2 {
		k.used = 0
		m := k.src(0).(Mem)
		m.Disp += h * half
		d, to := k.temp(), k.dst()
		to.Disp += h * half
		k.VCVTPS2PD(m, d)
		f(d)
		if k.wide == 16 {
			k.VCVTPD2PS(d, d.(reg.VecPhysical).AsY())
			k.VMOVUPS(d.(reg.VecPhysical).AsY(), to)
		} else {
			k.VCVTPD2PSY(d, d.(reg.VecPhysical).AsX())
			k.VMOVUPS(d.(reg.VecPhysical).AsX(), to)
		}
	}
}

// double returns a float64 in every lane of a register.
func double(k *kernel, x uint64) reg.Register {
	t := k.temp()
	k.VBROADCASTSD(doubleAt(x), t)
	return t
}

// rsq computes 1/sqrt(|d|) in d.
func rsq(k *kernel, d reg.Register) {
	t := double(k, 1<<63-1)
	if k.wide == 16 {
		k.VPANDQ(t, d, d)
	} else {
		k.VANDPD(t, d, d)
	}
	k.VSQRTPD(d, d)
	k.VDIVPD(d, double(k, math.Float64bits(1)), d)
}

// saturating is the suffix of operations that saturate the result of another one.
const saturating = "Sat"

// saturates reports whether an operation has the suffix Sat; Sat itself does not saturate another.
func (o *operation) saturates() bool {
	return len(o.name) > len(saturating) && strings.HasSuffix(o.name, saturating)
}

// operations returns the table. Codes are numbered in its order.
func operations() []operation {
	unary := []string{"V"}
	two := forms(2)
	one := bits(1)
	list := []operation{
		{"Copy", "a", unary, nil, func(k *kernel) { k.store(k.load(0)) }},
		{"Neg", "-a", unary, []uint32{signBit}, func(k *kernel) { k.store(neg(k, k.src(0))) }},
		{"Abs", "|a|", unary, []uint32{absolute}, func(k *kernel) { k.store(k.and(k.word(absolute), k.src(0))) }},
		{"Add", "a + b", two, nil, func(k *kernel) { k.store(k.add(k.load(0), k.src(1))) }},
		{"Sub", "a - b", two, nil, func(k *kernel) { k.store(k.sub(k.load(0), k.src(1))) }},
		{"Min", "a < b ? a : b", two, nil, func(k *kernel) { k.store(k.min(k.load(0), k.src(1))) }},
		{"Max", "a >= b ? a : b", two, nil, func(k *kernel) {
			a, b := k.load(0), k.load(1)
			k.store(k.choose(k.compare(greaterE, a, b), a, b))
		}},
		{"Slt", "a < b ? 1 : 0", two, []uint32{one}, func(k *kernel) {
			k.store(k.where(k.compare(less, k.load(0), k.src(1)), k.word(one)))
		}},
		{"Sge", "a >= b ? 1 : 0", two, []uint32{one}, func(k *kernel) {
			k.store(k.where(k.compare(greaterE, k.load(0), k.src(1)), k.word(one)))
		}},
		{"Cmp", "a >= 0 ? b : c", forms(3), []uint32{0}, func(k *kernel) {
			m := k.compare(greaterE, k.load(0), k.word(0))
			k.store(k.choose(m, k.load(1), k.load(2)))
		}},
		{"Frc", "a - floor(a)", unary, nil, func(k *kernel) {
			a := k.load(0)
			k.store(k.sub(a, k.floor(a)))
		}},
		{"Floor", "floor(a)", unary, nil, func(k *kernel) { k.store(k.floor(k.src(0))) }},
		{"Round", "a to the nearest whole number, halves away from zero", unary, []uint32{absolute, signBit, bits(0.5)},
			func(k *kernel) {
				a := k.load(0)
				r := k.floor(k.add(k.and(a, k.word(absolute)), k.literal(0.5)))
				k.store(k.or(r, k.and(a, k.word(signBit))))
			}},
		{"Sgn", "-1, 0 or 1", unary, []uint32{0, one, bits(-1)}, func(k *kernel) {
			a := k.load(0)
			above := k.where(k.compare(greater, a, k.word(0)), k.word(one))
			below := k.where(k.compare(less, a, k.word(0)), k.literal(-1))
			k.store(k.or(above, below))
		}},
		{"Sat", "a > 0 ? min(a, 1) : 0", unary, []uint32{0, one}, func(k *kernel) {
			k.store(k.saturated(k.load(0)))
		}},
		{"Rcp", "1 / a", unary, []uint32{one}, func(k *kernel) { k.store(k.do(k.VDIVPS, k.word(one), k.src(0))) }},
		{"Div", "a / b", []string{"VV"}, nil, func(k *kernel) { k.store(k.do(k.VDIVPS, k.load(0), k.src(1))) }},
		{"Rsq", "1 / sqrt(|a|), in float64", unary, nil, func(k *kernel) {
			halves(k, func(d reg.Register) { rsq(k, d) })
		}},
		{"NormFactor", "0 of 0, else 1 / sqrt(|a|), in float64", unary, nil, func(k *kernel) {
			halves(k, func(d reg.Register) {
				zero := double(k, 0)
				if k.wide == 16 {
					k.VCMPPD(notEqual, zero, d, reg.K1)
					rsq(k, d)
					k.VMOVUPD_Z(d, reg.K1, d)
				} else {
					m := k.temp()
					k.VCMPPD(notEqual, zero, d, m)
					rsq(k, d)
					k.VANDPD(m, d, d)
				}
			})
		}},
		// Lanes 0 and 1 of a quad are its upper row, 2 and 3 the lower one.
		{"Dsx", "the difference within a row of the quad", unary, nil, func(k *kernel) {
			a := k.load(0)
			l, r := k.temp(), k.temp()
			k.VMOVSLDUP(a, l)
			k.VMOVSHDUP(a, r)
			k.store(k.sub(r, l))
		}},
		{"Dsy", "the difference within a column of the quad", unary, nil, func(k *kernel) {
			a := k.load(0)
			upper, lower := k.temp(), k.temp()
			k.VPERMILPS(U8(0x44), a, upper)
			k.VPERMILPS(U8(0xee), a, lower)
			k.store(k.sub(lower, upper))
		}},
		{"Blend", "a in the lanes that are written", unary, []uint32{0}, blend},
		{"Flush", "the destination, denormals a zero of their sign", nil, []uint32{exponent, signBit}, func(k *kernel) {
			x := k.temp()
			k.VMOVUPS(k.dst(), x)
			if k.wide == 16 {
				k.VPTESTNMD(k.word(exponent), x, reg.K1)
				k.VPANDD(k.word(signBit), x, reg.K1, x)
				k.store(x)
				return
			}
			m := k.and(x, k.word(exponent))
			z := k.temp()
			k.VPXOR(z, z, z)
			k.VPCMPEQD(z, m, m)
			k.store(k.choose(m, k.and(x, k.word(signBit)), x))
		}},
	}
	for _, n := range []arithmetic{{}, {"Z", true, false}, {"F", false, true}, {"ZF", true, true}} {
		list = append(list, products(n)...)
	}
	for _, o := range list {
		switch o.name {
		case "Add", "Mul", "Mad", "Lrp", "Dp3", "Dp4":
			o.name, o.literals = o.name+saturating, []uint32{0, one}
			list = append(list, o)
		}
	}
	for i := range list {
		if list[i].patterns == nil {
			list[i].patterns = []string{""}
		}
	}
	return list
}

// blend stores a Vec in the lanes of the write mask of a component. AVX-512 has mask registers. AVX2 builds
// a vector mask from eight bits: it broadcasts them to all bytes, and keeps in each lane the lane's own bit
// (laneBits).
func blend(k *kernel) {
	if k.at == 0 {
		k.MOVBLZX(Mem{Base: opPtr, Disp: compAt}, reg.EBX)
		if k.wide == 8 {
			k.VMOVUPS(laneBits(), k.regs[14])
		}
	}
	word := Mem{Base: writes, Index: reg.RBX, Scale: 8, Disp: k.at * k.wide / 8}
	if k.wide == 16 {
		k.KMOVW(word, reg.K1)
		x := k.load(0)
		k.VMOVUPS(x, reg.K1, k.dst())
		return
	}
	m := k.temp()
	k.VPBROADCASTB(word, m)
	k.VPAND(k.regs[14], m, m)
	k.VPCMPEQD(k.regs[14], m, m)
	k.VMASKMOVPS(k.load(0), m, k.dst())
}
