package alike

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Declarations of a pixel kernel and of a compute kernel, and kernels that compute products and store.
const (
	tileHead = `il_ps_2_0; dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__; dcl_output_generic o0; dcl_cb cb0[2]
		dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
		dcl_literal l0, 0.0, 1.0, 2.0, 0.5; dcl_literal l1, 0, 1, 2, 3;`
	product = tileHead + `mov r0, l0.x; mov r1.x, l0.x; whileloop; ge r1.y, r1.x, cb0[0].x; break_logicalnz r1.y; mov r2.x, r1.x; mov r2.y, vWinCoord0.y
		mov r3.x, vWinCoord0.x; mov r3.y, r1.x; sample_resource(0)_sampler(0) r4, r2.xy; sample_resource(0)_sampler(0) r5, r3.xy; mad r0, r4, r5, r0
		add r1.x, r1.x, l0.y; endloop; mov o0, r0; end`
	storesHead = `il_cs_2_0; dcl_num_thread_per_group 64; dcl_cb cb0[1]; dcl_literal l0, 0, 1, 2, 3; dcl_literal l1, 1.0, 2.0, 0.5, 0.0;`
	stores     = storesHead + "utof r0.x, vaTid.x; mul r0, r0.x, cb0[0]; mov g[vaTid.x], r0; end"
)

var (
	two     = ir.Tile{X: 2, Y: 1}
	ofPairs = ir.Tile{X: 2, Y: 2, XTable: 2, YTable: 3}
)

// parseKernel reads a kernel; statements may be separated by semicolons.
func parseKernel(t testing.TB, src string) *il.Kernel {
	t.Helper()
	k, err := il.Parse("test", []byte(strings.ReplaceAll(src, ";", "\n")+"\n"))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return k
}

// TestTileRepeats checks that a kernel whose invocations run twice at the end of a row must not count.
func TestTileRepeats(t *testing.T) {
	odd, even := ir.Tile{X: 2, Y: 1, Width: 37}, ir.Tile{X: 2, Y: 1, Width: 38}
	counts := parseKernel(t, storesHead+"mov r0, g[vaTid.x]; iadd r0, r0, l0.y; mov g[vaTid.x], r0; end")
	if _, err := reference(counts, odd); err == nil || !strings.Contains(err.Error(), "runs twice") {
		t.Errorf("what counts is done twice: %v", err)
	}
	if _, err := reference(counts, even); err != nil {
		t.Error(err)
	}
}

// TestTileRefuses checks that kernels which depend on more than the position of an invocation have no
// reference.
func TestTileRefuses(t *testing.T) {
	ps := func(body string) string { return tileHead + body + "; end" }
	cs := func(body string) string { return storesHead + "dcl_lds_id(1) 1024;" + body + "; end" }
	for _, c := range []struct{ src, why string }{
		{ps("mov o0, vWinCoord0.z"), "not known"},
		{ps("mov o0, vObjIndex0.x"), "not known"},
		{ps("discard_logicalnz vWinCoord0.x; mov o0, l0"), "discarded"},
		{ps("mov r0, vWinCoord0.x; dsx o0, r0"), "other invocations"},
		{strings.Replace(ps("sample_resource(0)_sampler(0) o0, vWinCoord0.xy"), "2d,unnorm", "2d", 1), "level of detail"},
		{ps("mov o0, l0; mov o7, vWinCoord0.x"), "more than 8"},
		{cs("mov g[vTid.x], l0"), "not known"},
		{cs("mov r0.x, vaTid.x; lds_load_id(1) r1.x, r0.x; mov g[r0.x], r1"), "other invocations"},
		{cs("mov g[vaTid.x], l0; fence_threads; mov g[vaTid.x], l1"), "other invocations"},
		{cs("mov g[vaTid.z], l0"), "not known"},
		{cs("dcl_gds_id(1) 64; gds_add_id(1) l0.x, l0.y; mov g[vaTid.x], l0"), "other invocations"},
		{cs("dcl_gds_id(1) 64; mov r0.x, vaTid.x; gds_store_id(1) r0.x, l0.y; mov g[vaTid.x], l0"), "other invocations"},
	} {
		k := parseKernel(t, c.src)
		if _, err := reference(k, two); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.src[len(c.src)-40:], err)
		}
	}
}

// TestTileReference validates references of kernels with functions, early returns, arrays and outputs that
// are read.
func TestTileReference(t *testing.T) {
	for _, src := range []string{
		product, stores,
		tileHead + "dcl_indexed_temp_array x0[4]; ftoi r0.x, vWinCoord0.x; iand r0.x, r0.x, l1.w; mov x0[r0.x], vWinCoord0.y; mov o0, x0[1]; add o0, o0, vWinCoord0.x; end",
		tileHead + "mov o0, l0; lt r0.x, vWinCoord0.x, cb0[0].x; if_logicalnz r0.x; ret; endif; call 7; add o0, o0, r1; endmain; func 7; mov r1, vWinCoord0.x; call 9; ret; endfunc; func 9; add r1, r1, r1; ret; endfunc; end",
		storesHead + "mov r0.x, vaTidFlat.x; mov r1, g[r0.x]; iadd r1, r1, l0.y; mov g[r0.x + 1], r1; end",
	} {
		k := parseKernel(t, src)
		for _, shape := range []ir.Tile{two, {X: 3, Y: 1}, {X: 3, Y: 1, Width: 10}} {
			if shape.Repeats() && strings.Contains(src, ", g[") {
				continue // it would load its own stores
			}
			ref, err := reference(k, shape)
			if err != nil {
				t.Errorf("%v\n%s", err, src)
				continue
			}
			run := &Runs{Launch: func(n uint64) *kernel.Case { return kernel.DefaultCase(ref, n) }, Random: 2, Steps: 1 << 24}
			if why := run.tiled(k, ref, shape); why != "" {
				t.Errorf("%s\n%s\n%s", why, src, il.Print(ref))
			}
			if ref, err = reference(k, ir.Tile{X: shape.X, Y: 2}); err != nil {
				continue
			}
			if why := run.tiled(k, ref, shape); why == "" {
				t.Errorf("another tile is taken for that of\n%s", src)
			}
		}
	}
}

// TestTileLaunches converts a launch of the original kernel to one of tiles, and back.
func TestTileLaunches(t *testing.T) {
	l := &kernel.Case{Width: 10, Height: 3, Resources: []kernel.Resource{
		{ID: 1, Width: 8, Height: 1, Depth: 1,
			Data: kernel.Data{Kind: kernel.Words, Words: []uint32{0, 1, 2, 3, 4, 5, 6, 7}}},
		{ID: 3, Width: 2, Height: 1, Depth: 1, Data: kernel.Data{Kind: kernel.Words, Words: []uint32{8, 9}}}}}
	n := narrowed(l, ofPairs)
	if n.Width != 3 || n.Height != 3 || n.Resources[0].Width != 2 || n.Resources[0].Data.Words[1] != 4 ||
		n.Resources[1].Width != 2 {
		t.Errorf("%+v", n)
	}
	w := spelt(n, ofPairs)
	if words := w.Resources[0].Data.Words; len(words) != 8 || words[0] != words[2] || words[1] != words[3] ||
		words[1] != addToFloat(0, 1) {
		t.Errorf("%+v", w.Resources[0])
	}
}

// TestStoredRefuses checks that a kernel which reads g[] cannot store its outputs there: they would change what other
// invocations read.
func TestStoredRefuses(t *testing.T) {
	for _, src := range []string{"mov r0, g[5]; mov o0, r0; end", "mov r0.x, g[5].x; mov o0, cb0[r0.x + 1]; end",
		"mov g[5], l0; mov o0, l0; end"} {
		k := parseKernel(t, tileHead+src)
		if _, err := storesOutputs(k, 8); err == nil || !strings.Contains(err.Error(), "accesses memory") {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// TestOwnUnwritten checks that words of local memory are unwritten when a group begins, and that an element of an
// array is no destination of a register.
func TestOwnUnwritten(t *testing.T) {
	const head = storesHead + "dcl_lds_id(1) 256; dcl_indexed_temp_array x0[4]; imul r0.x, vTidInGrpFlat.x, l2.x;"
	k := parseKernel(t, strings.Replace(head, "dcl_lds", "dcl_literal l2, 4, 0, 0, 0; dcl_lds", 1)+
		"lds_load_id(1) r1.x, r0.x; mov g[vaTid.x].x, r1.x; end")
	out, n, err := ownLocals(k)
	if err != nil || n != 1 || strings.Contains(string(il.Print(out)), "mov r2.x") {
		t.Errorf("%d accesses are replaced, %v\n%s", n, err, il.Print(out))
	}
	k = parseKernel(t, strings.Replace(head, "dcl_lds", "dcl_literal l2, 4, 0, 0, 0; dcl_lds", 1)+
		"lds_load_id(1) x0[3].x, r0.x; mov g[vaTid.x].x, x0[3].x; end")
	if _, n, err := ownLocals(k); err != nil || n != 0 {
		t.Errorf("%d accesses are replaced, %v", n, err)
	}
}

// TestSumsOfOutputs checks that addresses do not follow from registers that a loop may write, unless they are
// temporary.
func TestSumsOfOutputs(t *testing.T) {
	k := parseKernel(t, storesHead+"mov r0.x, l0.x; whileloop; ige r1.x, r0.x, cb0[0].x; break_logicalnz r1.x; mov a0.x, r0.x"+
		"; add g[a0.x], g[a0.x], l1.x; iadd r0.x, r0.x, l0.y; endloop; end")
	if _, loops, err := scalarReplace(k); err != nil || loops != 0 {
		t.Errorf("%d loops keep elements, %v", loops, err)
	}
}
