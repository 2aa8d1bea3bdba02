package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
)

// Words that instructions treat specially.
var (
	floatWords = []uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x3f000000, 0xbfc00000, 0x40200000, 0x7f800000, 0xff800000,
		0x7fc00000,
		0xffc12345, 1, 0x80000001, 0x007fffff, 0x00800000, 0x80800001, 0x7f7fffff, 0xff7fffff, 0x4b000001, 0xcb7fffff, 0x4f000000,
		0xcf000000, 0x4f800000, 0x3effffff, 0x3f7fffff, 0x33000000, 0xb3000001, 0x42280000, 0x501502f9, 0x1e3ce508}
	intWords = []uint32{0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 255, 256, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff,
		0x1000000,
		0x7fffffff, 1 << 31, 0x80000001, 0xfffffffe, ^uint32(0), 0x55555555, 0xaaaaaaaa, 0x12345678, 0xfedcba98}
)

// f returns a word as an operand of the arithmetic, in float64.
func f(w uint32) float64 {
	x := float64(math.Float32frombits(w))
	if math.Abs(x) < 0x1p-126 {
		return math.Copysign(0, x)
	}
	return x
}

// to rounds a result. Sums, products and quotients of two floats in float64 round to the correct float.
func to(x float64) uint32 {
	if x != x {
		return 0x7fc00000
	}
	r := float32(x)
	if math.Abs(float64(r)) < 0x1p-126 {
		r = float32(math.Copysign(0, x))
	}
	return math.Float32bits(r)
}

func unary(g func(float64) float64) func(a, b, c, d uint32) uint32 {
	return func(a, _, _, _ uint32) uint32 { return to(g(f(a))) }
}

func truth(c bool) uint32 {
	if c {
		return 0xffffffff
	}
	return 0
}

func compare(g func(x, y float64) bool) func(a, b, c, d uint32) uint32 {
	return func(a, b, _, _ uint32) uint32 { return truth(g(f(a), f(b))) }
}

// opCase is one instruction and its expected result in a lane. The scalar forms use the sources' x.
type opCase struct {
	name   string
	srcs   int
	words  []uint32
	scalar bool
	want   func(a, b, c, d uint32) uint32
}

// combinations returns rows of sources. The component x covers all words, or all pairs of words for two
// sources. Other components and further sources are random.
func combinations(c *opCase) (rows [][4]vec4) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 2000
	if c.srcs <= 2 {
		n = 1
		for range c.srcs {
			n *= len(c.words)
		}
	}
	for k := range n {
		var row [4]vec4
		for i := range row {
			for lane := range row[i] {
				row[i][lane] = c.words[r.IntN(len(c.words))]
			}
		}
		if c.srcs <= 2 {
			row[0][0], row[1][0] = c.words[k%len(c.words)], c.words[k/len(c.words)]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestOps(t *testing.T) {
	operands := [...]string{"", ", r0", ", r0, r1", ", r0, r1, r2", ", r0, r1, r2, r3"}
	for _, c := range slices.Concat(floatCases, integerCases) {
		rows := combinations(&c)
		got := evaluate(t, c.name+" r9"+operands[c.srcs]+"\nmov o0, r9", rows)
		bad := 0
		for i, row := range rows {
			for lane := range 4 {
				at := lane
				if c.scalar {
					at = 0
				}
				want := c.want(row[0][at], row[1][at], row[2][at], row[3][at])
				if got[i][lane] != want && bad < 5 {
					bad++
					t.Errorf("%s of %s, %s, %s, %s is %s, want %s", c.name, show(row[0][at]), show(row[1][at]), show(row[2][at]),
						show(row[3][at]),
						show(got[i][lane]), show(want))
				}
			}
		}
	}
}

// notExecuted lists the instructions that Compile rejects.
var notExecuted = map[string]bool{"noise": true, "det": true, "mmul": true, "memexport": true, "memimport": true,
	"lod": true, "sampleinfo": true, "samplepos": true}

// TestEveryOp checks that every computing instruction is executed and tested, or rejected.
func TestEveryOp(t *testing.T) {
	tested := map[il.Op]bool{}
	for _, c := range slices.Concat(floatCases, integerCases) {
		tested[opNamed(t, c.name)] = true
	}
	for _, names := range [][]string{vectorOps, doubleOps} {
		for _, name := range names {
			tested[opNamed(t, name)] = true
		}
	}
	for op := il.OpInvalid + 1; op.String() != "invalid"; op++ {
		kind := op.Kind()
		if kind == il.Flow || kind == il.Declaration || op == il.OpFence {
			continue
		}
		known := rowOf(op).known()
		if known == notExecuted[op.String()] {
			t.Errorf("%s has a row in the table: %v; notExecuted has it: %v", op, known, notExecuted[op.String()])
		}
		if known && !tested[op] && kind != il.Fetch && kind != il.MemoryOp {
			t.Errorf("nothing tests %s", op)
		}
	}
}

// opNamed returns the op with a name.
func opNamed(t *testing.T, name string) il.Op {
	best, length := il.OpInvalid, 0
	for op := il.OpInvalid + 1; op.String() != "invalid"; op++ {
		if s := op.String(); strings.HasPrefix(name, s) && len(s) > length {
			best, length = op, len(s)
		}
	}
	if best == il.OpInvalid {
		t.Errorf("no op is named %s", name)
	}
	return best
}
