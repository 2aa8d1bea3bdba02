package interp

import "math"

// Numerics selects deviations of the arithmetic from plain IEEE 754 binary32. The zero value has no
// deviations. A verifier runs a pair of programs under several Numerics, because Direct3D 9 leaves the
// choice to the hardware.
type Numerics struct {
	// MulZero makes a product +0 if either factor is ±0, even for infinities and NaN, as the multipliers of
	// most hardware of the time did.
	MulZero bool
	// FlushDenormals replaces denormal inputs and results by a zero of the same sign.
	FlushDenormals bool
	// FuseMad rounds a*b+c once: in mad, and so in every sum of products (dp, lrp, crs, m4x4).
	FuseMad bool
	// Range, if not 0, is the magnitude to which results of ps_1_x are clamped. It depends on the hardware
	// (MaxPixelShaderValue): at least 1, often 8.
	Range float32
	// Scatter, if not 0, seeds random roundings: each rounded result changes by up to one unit in the last
	// place, independently in every lane. Results that differ between seeds depend on roundings (Monte
	// Carlo arithmetic; Parker, 1997).
	Scatter uint64
}

// This is the only definition of the operations. Direct3D 9 specifies little of it; these are the
// interpretations used here, in float32 unless stated otherwise.
//
//	add, sub, mul   IEEE, round to nearest even, denormals kept
//	mad             the product is rounded, then the sum
//	dp2add dp3 dp4  ((x·x + y·y) + z·z) + w·w, each step a mad; the first a mul
//	lrp             a*(b-c) + c
//	min, max        a < b ? a : b;  a >= b ? a : b   (so b where either is NaN)
//	slt, sge, cmp   a < b, a >= b, a >= 0: false on NaN; -0 >= 0 holds
//	setp, if, break IEEE comparison; ne alone holds on NaN
//	_sat            x > 0 ? min(x, 1) : 0   (NaN and -0 become +0)
//	frc             x - floor(x)
//	rcp             1/x; ±0 gives ±infinity
//	rsq             1/sqrt(|x|) in float64, rounded once; 0 gives +infinity
//	exp, expp       2^x in float64, rounded once
//	log, logp       log2|x| in float64, rounded once; 0 gives -infinity
//	pow             |a|^b in float64, rounded once; pow(a, 0) = 1 for every a
//	sin, cos        in float64, rounded once
//	nrm             s * rsq(dp3(s, s)), a zero vector staying zero (w included)
//	lit             exponent clamped to ±(127 + 255/256), 8.8 fixed point
//	mova            nearest, halves away from zero; mov to a0 in vs_1_1 floors

// clampRange clamps a result to the range of a ps_1_x register.
func (n *Numerics) clampRange(x float32) float32 {
	if n.Range > 0 {
		return max32(-n.Range, min32(x, n.Range))
	}
	return x
}

// litLimit is the largest exponent of lit.
const litLimit = 127 + 255.0/256

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func floor32(x float32) float32 { return float32(math.Floor(float64(x))) }

func min32(a, b float32) float32 {
	if a < b {
		return a
	}
	return b
}

func max32(a, b float32) float32 {
	if a >= b {
		return a
	}
	return b
}

func saturate(x float32) float32 {
	if x > 0 {
		return min32(x, 1)
	}
	return 0
}

func rsq(x float32) float32 { return float32(1 / math.Sqrt(float64(abs32(x)))) }

func exp2(x float32) float32 { return float32(math.Exp2(float64(x))) }

func log2(x float32) float32 { return float32(math.Log2(float64(abs32(x)))) }

func pow(a, b float32) float32 { return float32(math.Pow(float64(abs32(a)), float64(b))) }

func sin32(x float32) float32 { return float32(math.Sin(float64(x))) }

func cos32(x float32) float32 { return float32(math.Cos(float64(x))) }

func sign32(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// roundAway rounds like mova: to nearest, halves away from zero.
func roundAway(x float32) float32 {
	return math.Float32frombits(math.Float32bits(floor32(abs32(x)+0.5)) | math.Float32bits(x)&(1<<31))
}

// litZ returns the z component of lit.
func litZ(x, y, w float32) float32 {
	if x > 0 && y > 0 {
		return pow(y, max32(-litLimit, min32(litLimit, w)))
	}
	return 0
}

// normFactor returns the factor by which nrm scales a vector of squared length d.
func normFactor(d float32) float32 {
	if d == 0 {
		return 0
	}
	return rsq(d)
}

// plain reports whether products are IEEE products.
func (n *Numerics) plain() bool { return !n.MulZero && !n.FuseMad }

// mul returns the product under n.
func (n *Numerics) mul(a, b float32) float32 {
	if n.MulZero && (a == 0 || b == 0) {
		return 0
	}
	return a * b
}

// mad returns a*b+c under n. A product that is zero by MulZero adds +0.
func (n *Numerics) mad(a, b, c float32) float32 {
	if n.MulZero && (a == 0 || b == 0) {
		return c + 0 // +0 if c is -0
	}
	if n.FuseMad {
		return fma32(a, b, c)
	}
	return float32(a*b) + c
}

// fma32 rounds a*b+c once. The product of two float32 is exact in float64, and the sum is rounded to odd.
// The second rounding, to float32, is then correct because 53 bits are more than 2*24+2. See Boldo and
// Melquiond, Emulation of FMA and Correctly Rounded Sums, 2008.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	z := float64(c)
	s := p + z
	if math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	t := s - p // Knuth's two-sum: err is the rounding error of s
	err := (p - (s - t)) + (z - t)
	if bits := math.Float64bits(s); err != 0 && bits&1 == 0 {
		if (err > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}

// flush replaces a denormal by a zero of the same sign.
func flush(x float32) float32 {
	if b := math.Float32bits(x); b&0x7f800000 == 0 {
		return math.Float32frombits(b & (1 << 31))
	}
	return x
}

// scatter changes finite nonzero values by -1, 0 or 1 unit in the last place, with probability 1/3 each. It
// advances the generator lane by lane, so a single machine must run the draw.
func (n *Numerics) scatter(d *Vec) {
	for i := range d {
		n.Scatter = n.Scatter*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
		if b := math.Float32bits(d[i]); b<<1 != 0 && b&0x7f800000 != 0x7f800000 {
			d[i] = math.Float32frombits(b + uint32(n.Scatter>>33%3) - 1)
		}
	}
}
