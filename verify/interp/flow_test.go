package interp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

// runVS runs a vs_3_0 program (v0 is texcoord 0, o0 the result) with one value of v0.x per lane and returns
// o0.
func runVS(t *testing.T, body string, k *Constants, x ...float32) Words {
	t.Helper()
	s := mustCompile(t, mustParse(t, "vs_3_0\ndcl_texcoord v0\ndcl_texcoord o0\n"+body))
	res, err := s.Run(&Env{Constants: k}, len(x), []Words{{x}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Out[0]
}

func wantLanes(t *testing.T, what string, got []float32, want ...float32) {
	t.Helper()
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("%s = %v, want %v", what, got[:len(want)], want)
		}
	}
}

const flowConsts = "def c0, 0, 1, 2, 3\ndef c1, 4, 5, 6, 7\n"

func TestBranches(t *testing.T) {
	k := &Constants{}
	k.Bool[1] = true
	got := runVS(t, flowConsts+`
		mov r0, c0.x
		if b1
			add r0.x, r0.x, c0.y
		else
			add r0.x, r0.x, c0.z
		endif
		if !b1
			add r0.y, r0.y, c0.y
		endif
		if_gt v0.x, c0.y
			if_lt v0.x, c0.w
				mov r0.z, c1.x
			else
				mov r0.z, c1.y
			endif
			mov r0.w, c0.y
		else
			mov r0.z, c1.z
		endif
		setp_eq p0, v0.x, c0.z
		if p0.y
			mov r0.w, c1.w
		endif
		if !p0.x
			add r0.y, r0.y, c0.w
		endif
		mov o0, r0`, k, 0, 2, 5, nan)
	wantLanes(t, "x", got[0], 1, 1, 1, 1)
	wantLanes(t, "y", got[1], 3, 0, 3, 3)
	wantLanes(t, "z", got[2], 6, 4, 5, 6)
	wantLanes(t, "w", got[3], 0, 7, 1, 0)
}

func TestLoops(t *testing.T) {
	k := &Constants{}
	k.Int[0] = [4]int32{5, 2, 3, 0}
	k.Int[1] = [4]int32{3, 10, 1, 0}
	for i := range 64 {
		k.SetFloat(100+i, [4]float32{float32(i)})
	}
	// The inner loop has its own aL; the outer one is restored after it.
	got := runVS(t, flowConsts+`
		mov r0, c0.x
		loop aL, i0
			add r0.x, r0.x, c100[aL].x
			rep i1
				add r0.y, r0.y, c0.y
			endrep
			loop aL, i1
				add r0.z, r0.z, c100[aL].x
			endloop
			add r0.w, r0.w, c100[aL].x
		endloop
		loop aL, i2
			add r0, r0, c1.x
		endloop
		mov o0, r0`, k, 0)
	wantLanes(t, "x", got[0], 2+5+8+11+14)
	wantLanes(t, "y", got[1], 15)
	wantLanes(t, "z", got[2], 5*(10+11+12))
	wantLanes(t, "w", got[3], 40)
}

func TestBreaks(t *testing.T) {
	k := &Constants{}
	k.Int[0] = [4]int32{6, 0, 1, 0}
	// Lanes leave at different times, by each kind of break. All of them are active again after the loop.
	got := runVS(t, flowConsts+`
		mov r0, c0.x
		rep i0
			break_ge r0.x, v0.x
			add r0.x, r0.x, c0.y
			setp_eq p0.z, r0.x, c0.w
			breakp p0.z
			if_eq r0.x, c1.x
				break
			endif
			add r0.y, r0.y, c0.y
		endrep
		add r0.z, r0.z, c0.y
		mov o0, r0`, k, 0, 2, 3, 100)
	wantLanes(t, "x", got[0], 0, 2, 3, 3)
	wantLanes(t, "y", got[1], 0, 2, 2, 2)
	wantLanes(t, "z", got[2], 1, 1, 1, 1)
}

func TestCalls(t *testing.T) {
	k := &Constants{}
	k.Bool[0] = true
	k.Int[0] = [4]int32{3, 1, 1, 0}
	got := runVS(t, flowConsts+`
		mov r0, c0.x
		call l0
		callnz l1, b0
		callnz l1, !b0
		setp_gt p0, v0.x, c0.y
		callnz l2, p0.x
		callnz l3, !p0.x
		loop aL, i0
			call l3
		endloop
		mov o0, r0
		ret
		label l0
		add r0.x, r0.x, c0.y
		call l1
		ret
		label l1
		add r0.y, r0.y, c0.y
		ret
		label l2
		add r0.z, r0.z, c1.x
		ret
		label l3
		add r0.w, r0.w, c0.y
		ret`, k, 1, 2)
	wantLanes(t, "x", got[0], 1, 1)
	wantLanes(t, "y", got[1], 2, 2)
	wantLanes(t, "z", got[2], 0, 4)
	wantLanes(t, "w", got[3], 4, 3)
}

func TestRelativeAddresses(t *testing.T) {
	k := &Constants{}
	for i := range 10 {
		k.SetFloat(i+10, [4]float32{float32(i), float32(10 * i), -1, -2})
	}
	// mova rounds halves away from zero. Reads out of range give 0. Each lane has its own index.
	got := runVS(t, `
		mova a0.xw, v0.x
		mov r0.x, c10[a0.x].x
		mov r0.y, -c12[a0.w].y
		add r0.zw, c18[a0.x].xyxy, c18[a0.x].y
		mov o0, r0`, k, 0, 1.5, 2.4, -0.5, -30, nan, 1e30)
	wantLanes(t, "x", got[0], 0, 2, 2, 0, 0, 0, 0)
	wantLanes(t, "y", got[1], -20, -40, -40, -10, neg0, neg0, neg0)
	wantLanes(t, "z", got[2], 88, 0, 0, 77, 0, 0, 0)
	wantLanes(t, "w", got[3], 160, 0, 0, 140, 0, 0, 0)

	// vs_1_1: mov to a0 floors.
	s := mustCompile(t, mustParse(t, "vs_1_1\ndcl_texcoord v0\nmov a0.x, v0.x\nmov oT0, c[a0.x + 11]\n"))
	res, err := s.Run(&Env{Constants: k}, 3, []Words{{{1.9, -0.4, -1}}})
	if err != nil {
		t.Fatal(err)
	}
	wantLanes(t, "vs_1_1", res.Out[0][0], 2, 0, 0)
}

func TestIndexedInputsAndOutputs(t *testing.T) {
	src := `vs_3_0
		dcl_texcoord0 v0
		dcl_texcoord1 v1
		dcl_texcoord2 v2
		dcl_texcoord0 o0
		dcl_texcoord1 o1
		dcl_texcoord2 o2
		defi i0, 3, 0, 1, 0
		def c0, 100, 1, 0, 0
		mov r0, c0.z
		loop aL, i0
			add r0, r0, v[aL]
			mov o[aL].xy, r0
			mul o[aL].z, v[aL].x, c0.x
		endloop`
	s := mustCompile(t, mustParse(t, src))
	in := []Words{{{1}, {2}}, {{10}, {20}}, {{100}, {200}}}
	res, err := s.Run(&Env{}, 1, in)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][4]float32{{1, 2, 100, 0}, {11, 22, 1000, 0}, {111, 222, 10000, 0}} {
		for c := range want {
			if got := res.Out[i][c][0]; got != want[c] {
				t.Errorf("o%d component %d = %g, want %g", i, c, got, want[c])
			}
		}
	}

	s = mustCompile(t, mustParse(t, `ps_3_0
		dcl_texcoord0 v0
		dcl_texcoord1 v1
		defi i0, 2, 0, 1, 0
		def c0, 0, 0, 0, 0
		mov r0, c0
		loop aL, i0
			add r0, r0, v[aL]
		endloop
		mov oC0, r0`))
	res, err = s.Run(&Env{}, 4, []Words{{{1, 1, 1, 1}}, {{2, 3, 4, 5}}})
	if err != nil {
		t.Fatal(err)
	}
	wantLanes(t, "v[aL]", res.Out[0][0], 3, 4, 5, 6)
}

func TestDefinitionsHideConstants(t *testing.T) {
	k := &Constants{}
	k.SetFloat(0, [4]float32{9, 9, 9, 9})
	k.SetFloat(1, [4]float32{8, 8, 8, 8})
	k.Int[0] = [4]int32{7, 0, 0, 0}
	k.Bool[0] = true
	got := runVS(t, `def c0, 1, 2, 3, 4
		def c0, 5, 6, 7, 8
		defi i0, 2, 0, 0, 0
		defb b0, false
		mov r0, c0
		rep i0
			add r0.y, r0.y, c1.x
		endrep
		if b0
			mov r0.z, c1.x
		endif
		mova a0.x, v0.x
		mov r0.w, c[a0.x].x
		mov o0, r0`, k, 0)
	wantLanes(t, "x", got[0], 5)
	wantLanes(t, "y", got[1], 22)
	wantLanes(t, "z", got[2], 7)
	wantLanes(t, "w", got[3], 5)
	if k.Float[0] != [4]float32{9, 9, 9, 9} {
		t.Error("the host's constants were written to")
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct{ src, code string }{
		{"vs_2_0\nif b0\nmov oPos, c0\n", "unbalanced-block"},
		{"vs_2_0\nendif\n", "unbalanced-block"},
		{"vs_2_0\nrep i0\nif b0\nendrep\nendif\n", "unbalanced-block"},
		{"vs_3_0\nbreak\n", "break-outside-loop"},
		{"vs_2_0\ncall l3\nret\n", "undefined-label"},
		{"vs_2_0\ncall l0\nret\nlabel l0\nret\nlabel l0\nret\n", "duplicate-label"},
		{"vs_3_0\ncall l0\nret\nlabel l0\ncall l0\nret\n", "backward-call"},
	}
	for _, tt := range tests {
		_, err := Compile(mustParse(t, tt.src))
		var d *asm.Diag
		if !errors.As(err, &d) || string(d.Code) != tt.code {
			t.Errorf("%.40q: %v, want %s", tt.src, err, tt.code)
		}
	}
	// Blocks nested deeper than the parser accepts.
	deep := mustParse(t, "vs_3_0\nif b0\nendif\n")
	deep.Insts = slices.Concat(slices.Repeat(deep.Insts[:1], 300), slices.Repeat(deep.Insts[1:], 300))
	var d *asm.Diag
	if _, err := Compile(deep); !errors.As(err, &d) || d.Code != "nesting-depth" {
		t.Errorf("300 blocks within each other: %v", err)
	}
}

func TestStepLimit(t *testing.T) {
	s := mustCompile(t, mustParse(t, `vs_3_0
		dcl_texcoord o0
		defi i0, 255, 0, 0, 0
		rep i0
			rep i0
				rep i0
					rep i0
					endrep
				endrep
			endrep
		endrep
		mov o0, c0`))
	for _, env := range []*Env{{}, {Steps: 1000}} {
		_, err := s.Run(env, 1, nil)
		var d *asm.Diag
		if !errors.As(err, &d) || d.Code != "step-limit" {
			t.Errorf("got %v, want step-limit", err)
		}
	}
}

// TestRoom checks that lists of statements have no spare capacity, with many subroutines and blocks. Spare
// capacity would be quadratic in the size of the program.
func TestRoom(t *testing.T) {
	var src strings.Builder
	src.WriteString("vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\nif b0\nmov r1, v0\nrep i0\nadd r1, r1, v0\nendrep\nelse\nnop\nmov r1, v0\nmov r2, v0\nmov r3, v0\nendif\nret\n")
	for i := range 20 {
		fmt.Fprintf(&src, "label l%d\nmov r0, v0\nif b1\nmov r0, r1\nmov r0, r2\nmov r0, r3\nendif\nret\n", i)
	}
	s := mustCompile(t, mustParse(t, src.String()))
	count := 0
	var hold func(list []stmt)
	hold = func(list []stmt) {
		if cap(list) != len(list) {
			t.Errorf("room for %d statements where there are %d", cap(list), len(list))
		}
		for i := range list {
			count++
			hold(list[i].body)
			hold(list[i].other)
		}
	}
	hold(s.main)
	for _, sub := range s.subs {
		hold(sub)
	}
	if want := 9 + 20*6; count != want {
		t.Errorf("%d statements, not %d", count, want)
	}
}
