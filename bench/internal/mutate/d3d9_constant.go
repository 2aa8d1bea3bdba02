package mutate

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// d3d9ConstantKinds change definitions of a program. The kinds with 2^61 target judges that evaluate modulo
// a prime. The Mersenne prime 2^61-1 is the usual choice. Modulo this prime 2^61 is 1, so x and 2^61*x are
// equal. (The primes of this judge are not related to powers of two; see package reals.)
var d3d9ConstantKinds = []Kind{
	{Name: "constant-value", Doc: "a component of a def is a quarter more, one more or a half",
		d3d9: float(func(m *d3d9Site, f float32) float32 {
			return choose(m.r, f*1.25, f+1, 0.5)
		})},
	{Name: "constant-ulp", Subtle: true, Doc: "a component of a def is the next float32",
		d3d9: float(func(m *d3d9Site, f float32) float32 {
			return math.Nextafter32(f, choose(m.r, float32(math.Inf(1)), float32(math.Inf(-1))))
		})},
	{Name: "constant-sign", Doc: "a component of a def has the other sign",
		d3d9: float(func(_ *d3d9Site, f float32) float32 { return -f })},
	{Name: "constant-2^61", Doc: "a component of a def is 2^61 times or 2^-61 of itself",
		d3d9: float(func(m *d3d9Site, f float32) float32 {
			return f * choose[float32](m.r, 0x1p61, 0x1p-61)
		})},
	{Name: "constant-extreme", Doc: "a component of a def is very large or very small",
		d3d9: float(func(m *d3d9Site, f float32) float32 {
			return choose(m.r, float32(math.MaxFloat32), -math.MaxFloat32, 0x1p-126, 0x1p-149, 0x1p127)
		})},
	{Name: "constant-prime", Doc: "a component of a def is more by a multiple of 2^61-1, as near as floats go",
		d3d9: float(func(m *d3d9Site, f float32) float32 {
			return f + choose[float32](m.r, 0x1p61, -0x1p61, 0x1p62)
		})},
	{Name: "constant-exchanged", Doc: "two components of a def change places", d3d9: (*d3d9Site).exchangedComponents},
	{Name: "trip-count", Doc: "the count of a defi is one more or less", d3d9: (*d3d9Site).tripCount},
	{Name: "loop-start", Doc: "the start or the step of a defi is one more", d3d9: (*d3d9Site).loopStart},
	{Name: "boolean", Doc: "a defb is the other value", d3d9: (*d3d9Site).boolean},
	{Name: "definition-lost", Doc: "a def is removed, so that the host sets the constant",
		d3d9: (*d3d9Site).definitionLost},
}

// float changes a component of a def, but not to an infinity, a NaN or an equal number.
func float(change func(m *d3d9Site, f float32) float32) func(*d3d9Site) bool {
	return func(m *d3d9Site) bool {
		in := m.statement()
		if in.Op != d3d9.OpDef {
			return false
		}
		w := &in.Imm[m.r.IntN(4)]
		old := math.Float32frombits(*w)
		f := change(m, old)
		if f != f || math.IsInf(float64(f), 0) || f == old {
			return false
		}
		*w = math.Float32bits(f)
		return true
	}
}

func (m *d3d9Site) exchangedComponents() bool {
	in := m.statement()
	if in.Op != d3d9.OpDef {
		return false
	}
	i, j := m.r.IntN(4), m.r.IntN(4)
	in.Imm[i], in.Imm[j] = in.Imm[j], in.Imm[i]
	return in.Imm[i] != in.Imm[j]
}

// tripCount changes the first component of a defi, the trip count of rep and loop.
func (m *d3d9Site) tripCount() bool {
	in := m.statement()
	if in.Op != d3d9.OpDefI {
		return false
	}
	if n := in.Imm[0]; n > 0 && m.r.IntN(2) == 0 {
		in.Imm[0] = n - 1
	} else {
		in.Imm[0] = n + 1
	}
	return true
}

// loopStart changes the second or third component: the start of aL, or its step. Only loop reads them.
func (m *d3d9Site) loopStart() bool {
	in := m.statement()
	if in.Op != d3d9.OpDefI {
		return false
	}
	in.Imm[1+m.r.IntN(2)]++
	return true
}

func (m *d3d9Site) boolean() bool {
	in := m.statement()
	if in.Op != d3d9.OpDefB {
		return false
	}
	in.Imm[0] ^= 1
	return true
}

// definitionLost removes a definition. The host then sets the constant.
func (m *d3d9Site) definitionLost() bool {
	if !m.statement().Op.IsDefinition() {
		return false
	}
	m.remove()
	return true
}

// remove removes the statement in place.
func (m *d3d9Site) remove() { m.p.Insts = append(m.p.Insts[:m.i], m.p.Insts[m.i+1:]...) }

// insert inserts statements before statement i. The full slice expression makes append copy. Pointers into
// the old statements, such as m.in(), remain readable, but no longer change the program.
func (m *d3d9Site) insert(i int, list ...d3d9.Inst) {
	m.p.Insts = append(m.p.Insts[:i:i], append(list, m.p.Insts[i:]...)...)
}
