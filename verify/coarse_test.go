package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

const (
	tileHead = `il_ps_2_0; dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__; dcl_output_generic o0; dcl_cb cb0[2]
		dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
		dcl_resource_id(1)_type(1d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
		dcl_resource_id(2)_type(1d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
		dcl_literal l0, 0.0, 1.0, 2.0, 0.5; dcl_literal l1, 0, 1, 2, 3;`
	tileMore = "dcl_output_generic o1; dcl_output_generic o2; dcl_output_generic o3;"
	tileSum  = "mov r0, l0.x; mov r1.x, l0.x; whileloop; ge r1.y, r1.x, cb0[0].x; break_logicalnz r1.y;"
	tileNext = "add r1.x, r1.x, l0.y; endloop;"
)

// A row times a column, for one element and for a tile of two by two.
const (
	product = tileHead + tileSum + `mov r2.x, r1.x; mov r2.y, vWinCoord0.y; mov r3.x, vWinCoord0.x; mov r3.y, r1.x
		sample_resource(0)_sampler(0) r4, r2.xy; sample_resource(0)_sampler(0) r5, r3.xy; mad r0, r4, r5, r0;` + tileNext + "mov o0, r0; end"
	tileRows = `mad r9.x, vWinCoord0.x, l0.z, l9.x; mad r9.y, vWinCoord0.x, l0.z, l0.w; mad r9.z, vWinCoord0.y, l0.z, l9.x; mad r9.w, vWinCoord0.y, l0.z, l0.w;`
	product4 = tileHead + tileMore + "dcl_literal l9, -0.5, 0.5, 0, 0;" + tileRows + tileSum +
		`mov r2.x, r1.x; mov r2.y, r9.z; mov r3.x, r9.x; mov r3.y, r1.x
		mov r6.x, r1.x; mov r6.y, r9.w; mov r7.x, r9.y; mov r7.y, r1.x
		sample_resource(0)_sampler(0) r4, r2.xy; sample_resource(0)_sampler(0) r5, r3.xy; sample_resource(0)_sampler(0) r14, r6.xy; sample_resource(0)_sampler(0) r15, r7.xy
		mad r0, r4, r5, r0; mad r10, r4, r15, r10; mad r11, r14, r5, r11; mad r12, r14, r15, r12;` + tileNext + "mov o0, r0; mov o1, r10; mov o2, r11; mov o3, r12; end"
)

var productTile = strings.Replace(product4, "mov r0, l0.x;",
	"mov r0, l0.x; mov r10, l0.x; mov r11, l0.x; mov r12, l0.x;", 1)

// Sums of elements of two tables: for one pair, and for a tile of two by two pairs.
const (
	pairs  = tileHead + "sample_resource(1)_sampler(0) r0, vWinCoord0.x; sample_resource(2)_sampler(0) r1, vWinCoord0.x; mad o0, r0, cb0[0], r1; end"
	pairs4 = tileHead + tileMore + `sample_resource(1)_sampler(0) r0, vWinCoord0.x; sample_resource(2)_sampler(0) r1, vWinCoord0.x
		add r2, r0, l0.y; add r3, r1, l0.y
		mad o0, r0, cb0[0], r1; mad o1, r2, cb0[0], r1; mad o2, r0, cb0[0], r3; mad o3, r2, cb0[0], r3; end`
)

// Stores at the positions of two invocations, in their order.
const (
	storesHead = `il_cs_2_0; dcl_num_thread_per_group 64; dcl_cb cb0[1]; dcl_literal l0, 0, 1, 2, 3; dcl_literal l1, 1.0, 2.0, 0.5, 0.0;`
	stores     = storesHead + "utof r0.x, vaTid.x; mul r0, r0.x, cb0[0]; mov g[vaTid.x], r0; end"
	stores2    = storesHead + `imad r2.x, vaTid.x, l0.z, l0.x; imad r2.y, vaTid.x, l0.z, l0.y
		utof r0.x, r2.x; mul r0, r0.x, cb0[0]; utof r1.x, r2.y; mul r1, r1.x, cb0[0]; mov g[r2.x], r0; mov g[r2.y], r1; end`
)

var (
	twoByTwo = ir.Tile{X: 2, Y: 2}
	ofPairs  = ir.Tile{X: 2, Y: 2, XTable: 2, YTable: 3}
	two      = ir.Tile{X: 2, Y: 1}
)

// rewritten returns src with the first occurrence of each edit replaced.
func rewritten(t *testing.T, src string, edits ...string) string {
	t.Helper()
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(src, edits[i]) {
			t.Fatalf("%q is not there", edits[i])
		}
		src = strings.Replace(src, edits[i], edits[i+1], 1)
	}
	return src
}

// named returns a kernel whose invocations store an element selected by an element, which position selects.
// If twice, an invocation stores the element of the first of its tile two times.
func named(position string, twice bool) string {
	text := strings.Replace(storesHead, "cb0[1]", "cb0[64]", 1) + "mov r0, cb0[cb0[" + position + ".x].x];"
	if !twice {
		return text + "mov g[vaTid.x], r0; end"
	}
	return text + "ishl r1.x, vaTid.x, l0.y; mov g[r1.x], r0; iadd r1.x, r1.x, l0.y; mov g[r1.x], r0; end"
}

// TestTile accepts kernels whose invocations do the work of a tile, in any order and with common parts, and
// no others.
func TestTile(t *testing.T) {
	edit := func(text string, edits ...string) string { return rewritten(t, text, edits...) }
	for _, c := range []struct {
		name          string
		before, after string
		tile          ir.Tile
		want          Verdict
		why           string
	}{
		{"a tile of products", product, productTile, twoByTwo, Proved, ""},
		{"an index of an index", named("vTidInGrp", false), named("vTidInGrp", true), two, Unknown,
			"in the invocations of a tile is not known"},
		{"an index of the first index", named("vaTid", false), named("vaTid", true), two, Refuted, ""},
		{"outputs exchanged", product, edit(productTile, "mov o1, r10", "mov o2, r10", "mov o2, r11", "mov o1, r11"),
			twoByTwo, Refuted, "o"},
		{"a row off by one", product, edit(productTile, "r9.w, vWinCoord0.y, l0.z, l0.w", "r9.w, vWinCoord0.y, l0.z, l0.y"),
			twoByTwo, Refuted, ""},
		{"the wrong row", product, edit(productTile, "mad r12, r14, r15, r12", "mad r12, r4, r15, r12"), twoByTwo, Refuted,
			"o3"},
		{"one trip fewer for one", product, edit(productTile, "mad r12, r14", "if_logicalnz r1.x; mad r12, r14",
			"r15, r12;", "r15, r12; endif;"), twoByTwo, Refuted, "o3"},
		{"columns for rows", product, productTile, ir.Tile{X: 4, Y: 1}, Refuted, ""},
		{"another tile", product, productTile, two, Unknown, "declared"},
		{"no tile at all", product, productTile, ir.Tile{}, Unknown, "declared"},

		{"tables of tiles", pairs, pairs4, ofPairs, Proved, ""},
		{"tables exchanged", pairs, pairs4, ir.Tile{X: 2, Y: 2, XTable: 3, YTable: 2}, Refuted, ""},
		{"tables for positions", pairs, pairs4, ir.Tile{X: 4, Y: 1}, Refuted, ""},
		{"a table that begins later", pairs, edit(pairs4, "add r2, r0, l0.y", "add r2, r0, l0.z"), ofPairs, Refuted, "o"},
		{"not a table", edit(pairs, "(1)_sampler(0) r0, vWinCoord0.x", "(1)_sampler(0) r0, vWinCoord0.y"), pairs4, ofPairs,
			Unknown, "resource 1"},

		{"stores", stores, stores2, two, Proved, ""},
		{"a store of the other", stores, edit(stores2, "g[r2.y], r1", "g[r2.y], r0"), two, Refuted, "g"},
		{"a store lost", stores, edit(stores2, "mov g[r2.y], r1;", ""), two, Refuted, "g"},
		{"an address off by one", stores, edit(stores2, "l0.z, l0.y", "l0.z, l0.z"), two, Refuted, "g"},
		{"nothing down", stores, stores2, ir.Tile{X: 1, Y: 2}, Unknown, "in one dimension"},
	} {
		report := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after),
			Options{Numerics: ir.Real, Tile: c.tile})
		if report.Verdict != c.want || !strings.Contains(report.Why, c.why) {
			t.Errorf("%s: %v %v, %q", c.name, report.Verdict, report.Methods, report.Why)
		}
	}
}

// TestTileEnds checks tiles that do not divide the domain: the last invocation, and no other, is repeated in
// place of those beyond the domain.
func TestTileEnds(t *testing.T) {
	const last = "; dcl_literal l5, 36, 37, 35, 0; iadd r2.y, vaTid.x, vaTid.x; iadd r2.y, r2.y, l0.y;"
	held := func(at string) string {
		return storesHead + last + "imin r2.y, r2.y, " + at + `; imul r2.x, vaTid.x, l0.z
			utof r0.x, r2.x; mul r0, r0.x, cb0[0]; utof r1.x, r2.y; mul r1, r1.x, cb0[0]; mov g[r2.x], r0; mov g[r2.y], r1; end`
	}
	odd, even := ir.Tile{X: 2, Y: 1, Width: 37}, ir.Tile{X: 2, Y: 1, Width: 38}
	for _, c := range []struct {
		name  string
		after string
		tile  ir.Tile
		want  Verdict
	}{
		{"held at the last", held("l5.x"), odd, Proved},
		{"held before the last", held("l5.z"), odd, Refuted},
		{"one beyond the last", held("l5.y"), odd, Refuted},
		{"not held", stores2, odd, Refuted},
		{"held where nothing is beyond", held("l5.x"), even, Refuted},
		{"divided", stores2, even, Proved},
		{"another domain", held("l5.x"), ir.Tile{X: 2, Y: 1, Width: 35}, Refuted},
		{"any domain", held("l5.x"), two, Refuted},
	} {
		r := CheckKernel(parseKernel(t, stores), parseKernel(t, c.after), Options{Numerics: ir.Real, Tile: c.tile})
		if r.Verdict != c.want && !(c.want == Refuted && r.Verdict == Unknown) {
			t.Errorf("%s: %v %v, %q", c.name, r.Verdict, r.Methods, r.Why)
		}
	}
}
