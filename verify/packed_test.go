package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// Sums of four adjacent numbers of a row, in a loop: by single numbers, and by vectors.
const (
	packedHead = `il_ps_2_0; dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__; dcl_output_generic o0; dcl_cb cb0[2]
		dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
		dcl_literal l0, 0.0, 1.0, 4.0, 0.5; dcl_literal l1, 1.5, 2.5, 3.5, 0.25; dcl_literal l2, 0.125, 0.375, -0.5, -0.25
		mov r0.x, l0.x; mov r1.x, l0.x; mov r2.y, vWinCoord0.y; whileloop; ge r1.y, r1.x, cb0[0].x; break_logicalnz r1.y;`
	packedTail = "dp4 r4.x, r3, cb0[1]; add r0.x, r0.x, r4.x; add r1.x, r1.x, l0.z; endloop; mov o0, r0.x; end"
	oneByOne   = packedHead + `add r2.x, r1.x, l0.w; sample_resource(0)_sampler(0) r3.x, r2.xy; add r2.x, r1.x, l1.x; sample_resource(0)_sampler(0) r3.y, r2.xy
		add r2.x, r1.x, l1.y; sample_resource(0)_sampler(0) r3.z, r2.xy; add r2.x, r1.x, l1.z; sample_resource(0)_sampler(0) r3.w, r2.xy;` + packedTail
	byVectors = packedHead + "add r2.x, r1.x, l0.w; mul r2.x, r2.x, l1.w; sample_resource(0)_sampler(0) r3, r2.xy;" +
		packedTail
)

// TestPacked checks that vector fetches are proved to equal fetches of their numbers, if the coordinates are
// known to be aligned.
func TestPacked(t *testing.T) {
	four := ir.Tile{X: 1, Y: 1, Texels: ir.Texels(0).WithPacking(0, 4)}
	two := ir.Tile{X: 1, Y: 1, Texels: ir.Texels(0).WithPacking(0, 2)}
	other := ir.Tile{X: 1, Y: 1, Texels: ir.Texels(0).WithPacking(1, 4)}
	edit := func(text string, edits ...string) string { return rewritten(t, text, edits...) }
	volume := func(text, layer string) string {
		text = edit(text, "_type(2d,unnorm)", "_type(3d,unnorm)", "whileloop;",
			"dcl_literal l8, 0x12345678, 0, 0, 0; mov r2.z, r2.y;"+layer+"whileloop;")
		return strings.ReplaceAll(text, "r2.xy", "r2.xyz")
	}
	for _, c := range []struct {
		name          string
		before, after string
		tile          ir.Tile
		want          Verdict
		why           string
	}{
		{"vectors", oneByOne, byVectors, four, ProvedReal, ""},
		{"elsewhere in the first number", oneByOne, edit(byVectors, "add r2.x, r1.x, l0.w", "add r2.x, r1.x, l1.w"), four,
			Unknown, "no execution shows a difference"},
		{"numbers exchanged", oneByOne, edit(byVectors, "dp4 r4.x, r3, cb0", "dp4 r4.x, r3.yxzw, cb0"), four, Refuted, ""},
		{"the next element", oneByOne, edit(byVectors, "mul r2.x, r2.x, l1.w", "mad r2.x, r2.x, l1.w, l0.y"), four, Refuted,
			""},
		{"in the second number", oneByOne, edit(byVectors, "mul r2.x, r2.x, l1.w", "mad r2.x, r2.x, l1.w, l1.w"), four,
			Unknown, "are not known"},
		{"a loop by twos", edit(oneByOne, "l0.z; endloop", "cb0[0].z; endloop"),
			edit(byVectors, "l0.z; endloop", "cb0[0].z; endloop"), four, Unknown, "are not known"},
		{"a loop from a constant on", edit(oneByOne, "mov r1.x, l0.x", "mov r1.x, cb0[0].y"),
			edit(byVectors, "mov r1.x, l0.x", "mov r1.x, cb0[0].y"), four, Unknown, "are not known"},
		{"by two", oneByOne, byVectors, two, Unknown, "have 2 numbers"},
		{"not declared", oneByOne, byVectors, ir.Tile{}, Refuted, ""},
		{"another resource", oneByOne, byVectors, other, Refuted, ""},
		{"an offset", oneByOne, edit(byVectors, "_sampler(0) r3, r2", "_sampler(0)_aoffimmi(1.0,0.0,0.0) r3, r2"), four,
			Unknown, "offset"},
		{"of volumes", volume(oneByOne, ""), volume(byVectors, ""), four, ProvedReal, ""},
		{"of another layer, rarely", volume(oneByOne, ""),
			volume(byVectors, "ieq r2.w, cb0[0].w, l8.x; add r5.z, r2.z, l0.y; cmov_logical r2.z, r2.w, r5.z, r2.z;"), four, Refuted, ""},
		{"a level", oneByOne, edit(byVectors, "sample_resource(0)_sampler(0) r3, r2.xy",
			"sample_l_resource(0)_sampler(0) r3, r2.xy, l0.x"), four, Unknown, "sample_l"},
	} {
		report := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after),
			Options{Numerics: ir.Real, Tile: c.tile})
		if report.Verdict != c.want || !strings.Contains(report.Why, c.why) {
			t.Errorf("%s: %v (%s), not %v", c.name, report.Verdict, report.Why, c.want)
		}
	}
}
