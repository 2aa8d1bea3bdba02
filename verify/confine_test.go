package verify

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// indexed returns a pair whose vertex program indexes an array of four constants of its constant table. The
// program defines another constant right behind the array.
func indexed(t *testing.T, def string) Pair {
	p := pairOf(t, `vs_2_0; def c4, `+def+`, 0, 0; dcl_position v0; dcl_texcoord v1
		add r0.x, v1.x, v1.x; add r0.x, r0.x, r0.x; add r0.x, r0.x, r0.x; mova a0.x, r0.x
		mov oPos, v0; mul oT0, c[a0.x], c4.x`,
		"ps_2_0; dcl t0; mov r0, t0; mov oC0, r0")
	p.Vertex.Insts = slices.Insert(p.Vertex.Insts, 0, d3d9.Inst{Op: d3d9.OpComment, Comment: constantTable("A", 4)})
	return p
}

// constantTable returns a comment block with a table in which float parameter name has registers 0 to n-1.
func constantTable(name string, n uint32) []uint32 {
	text := uint32(0)
	for i := len(name) - 1; i >= 0; i-- {
		text = text<<8 | uint32(name[i])
	}
	return []uint32{
		'C' | 'T'<<8 | 'A'<<16 | 'B'<<24,
		28, 64, 0xfffe0200, 1, 28, 0, 64, // header: creator, version, count, offset of the entry, flags, target
		64, 2, n, 48, 0, // entry: name, float registers from 0, n of them, type, default
		1 | 3<<16, 1 | 4<<16, n, 0, // vector of float, 1 by 4, n elements
		text, // the string at 64
	}
}

// TestConfined checks that constants behind an array may change if only random indices reach them, but not if
// they are read by name.
func TestConfined(t *testing.T) {
	before, after := indexed(t, "1, 2"), indexed(t, "1, 3")
	if table, err := before.Vertex.ConstantTable(); err != nil ||
		table.Lookup(d3d9.Reg{File: d3d9.Const, Index: 3}) == nil {
		t.Fatalf("the constant table reads %+v, %v", table, err)
	}
	for seed := range uint64(8) {
		if r := Check(before, after, Options{Numerics: Real, Effort: Full, Seed: seed}); r.Verdict != Proved {
			t.Errorf("seed %d: %v: %s", seed, r.Verdict, r.Why)
		}
	}
	if r := Check(before, indexed(t, "2, 2"), Options{Numerics: Real}); r.Verdict != Refuted {
		t.Errorf("a constant that is read by name: %v: %s", r.Verdict, r.Why)
	}
}
