package verify

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// entry returns a float4 constant of n registers, a matrix if there are several.
func entry(name string, at, n int) d3d9.Constant {
	return d3d9.Constant{Name: name, Set: d3d9.SetFloat4, Index: at, Count: n, Class: 2, Type: 3, Rows: n, Columns: 4,
		Elements: 1}
}

// tableBlock encodes a constant table as a D3DXSHADER_CONSTANTTABLE with its data.
func tableBlock(list []d3d9.Constant) d3d9.Inst {
	u16, u32 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32
	const header, info, typ = 28, 20, 16
	end := uint32(header + len(list)*(info+typ))
	var rest []byte // data from offset end on
	put := func(b []byte) uint32 {
		at := end + uint32(len(rest))
		rest = append(rest, b...)
		for len(rest)%4 != 0 {
			rest = append(rest, 0)
		}
		return at
	}
	var constants, types []byte
	for i, c := range list {
		constants = u32(constants, put([]byte(c.Name+"\x00")))
		for _, x := range []int{int(c.Set), c.Index, c.Count, 0} {
			constants = u16(constants, uint16(x))
		}
		value := uint32(0)
		if c.Default != nil {
			var words []byte
			for _, w := range c.Default {
				words = u32(words, w)
			}
			value = put(words)
		}
		constants = u32(u32(constants, uint32(header+len(list)*info+i*typ)), value)
		for _, x := range []int{int(c.Class), int(c.Type), c.Rows, c.Columns, c.Elements, 0} {
			types = u16(types, uint16(x))
		}
		types = u32(types, 0)
	}
	b := []byte("CTAB")
	for _, w := range []uint32{header, 0, 0, uint32(len(list)), header, 0, 0} {
		b = u32(b, w)
	}
	b = slices.Concat(b, constants, types, rest)
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return d3d9.Inst{Op: d3d9.OpComment, Comment: words}
}

// with inserts comment blocks in front of a program.
func with(p *d3d9.Program, blocks ...d3d9.Inst) *d3d9.Program {
	q := *p
	q.Insts = append(slices.Clone(blocks), p.Insts...)
	return &q
}

const (
	// A program with named constants, and an equivalent one.
	vsNamed  = "vs_2_0; defi i1, 2, 0, 0, 0; def c9, 1, 2, 3, 4; dcl_position v0; dcl_texcoord v1; m4x4 oPos, v0, c0; mul r0, v1, c4; mul r0, r0, c9; mov oT0, r0"
	vsNamed2 = "vs_2_0; defi i1, 2, 0, 0, 0; def c9, 1, 2, 3, 4; dcl_position v0; dcl_texcoord v1; mul r1, v1, c4; m4x4 oPos, v0, c0; mul oT0, r1, c9"
	vsArray  = "vs_2_0; dcl_position v0; dcl_texcoord v1; mova a0.x, v1.x; mov oPos, v0; mov r1, v1; mul oT0, r1, c[a0.x + 4]"
	vsArray2 = "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mova a0.x, v1.x; mov r0, v1; mul oT0, r0, c[a0.x + 4]"
)

func TestConstantTables(t *testing.T) {
	world, tint := entry("World", 0, 4), entry("Tint", 4, 1)
	bones, unused := entry("Bones", 4, 6), entry("Unused", 20, 1)
	named := []d3d9.Constant{tint, unused, world}
	change := func(c d3d9.Constant, f func(c *d3d9.Constant)) d3d9.Constant {
		f(&c)
		return c
	}
	one := []uint32{1, 2, 3, 4}
	for _, c := range []struct {
		name            string
		before, after   string
		tables, tables2 []d3d9.Constant
		why             string // empty: accepted
	}{
		{"unchanged", vsNamed, vsNamed2, named, named, ""},
		{"in another order", vsNamed, vsNamed2, named, []d3d9.Constant{world, tint, unused}, ""},
		{"none", vsNamed, vsNamed2, nil, nil, ""},
		{"entry of what is not read dropped", vsNamed, vsNamed2, named, []d3d9.Constant{tint, world}, ""},
		{"entry of what is defined dropped", vsNamed, vsNamed2, append([]d3d9.Constant{entry("Own", 9, 1)}, named...),
			named, ""},
		{"entry of an integer that is defined dropped", vsNamed, vsNamed2,
			append([]d3d9.Constant{change(entry("Own", 1, 1), func(c *d3d9.Constant) { c.Set = d3d9.SetInt4 })},
				named...), named, ""},
		{"default kept", vsNamed, vsNamed2, []d3d9.Constant{change(tint, func(c *d3d9.Constant) { c.Default = one }), world},
			[]d3d9.Constant{change(tint, func(c *d3d9.Constant) { c.Default = one }), world}, ""},

		{"dropped", vsNamed, vsNamed2, named, nil, `no longer has "Tint"`},
		{"added", vsNamed, vsNamed2, nil, named, `new name, "Tint"`},
		{"same program, dropped", vsNamed, vsNamed, named, nil, `no longer has "Tint"`},
		{"registers exchanged", vsNamed, vsNamed2, []d3d9.Constant{tint, entry("Other", 5, 1), world},
			[]d3d9.Constant{entry("Other", 4, 1), entry("Tint", 5, 1), world}, "another register"},
		{"entry of the last row dropped", vsNamed, vsNamed2, []d3d9.Constant{entry("Rows", 0, 3), entry("Row", 3, 1), tint},
			[]d3d9.Constant{entry("Rows", 0, 3), tint}, `no longer has "Row"`},
		{"renamed", vsNamed, vsNamed2, named, []d3d9.Constant{entry("Tinge", 4, 1), unused, world}, "new name"},
		{"unused entry added", vsNamed, vsNamed2, []d3d9.Constant{tint, world}, named, "new name"},
		{"unused entry moved", vsNamed, vsNamed2, named, []d3d9.Constant{tint, entry("Unused", 21, 1), world},
			"another register"},
		{"count", vsNamed, vsNamed2, named, []d3d9.Constant{tint, unused,
			change(world, func(c *d3d9.Constant) { c.Count = 3 })}, "number of registers"},
		{"set", vsNamed, vsNamed2, named, []d3d9.Constant{change(tint, func(c *d3d9.Constant) { c.Set = d3d9.SetInt4 }),
			world}, "another register"},
		{"type", vsNamed, vsNamed2, named, []d3d9.Constant{change(tint, func(c *d3d9.Constant) { c.Type = 2 }), world},
			"another type"},
		{"class", vsNamed, vsNamed2, named, []d3d9.Constant{tint, change(world, func(c *d3d9.Constant) { c.Class = 3 })},
			"another type"},
		{"columns", vsNamed, vsNamed2, named, []d3d9.Constant{tint,
			change(world, func(c *d3d9.Constant) { c.Columns = 3 })}, "another type"},
		{"elements", vsNamed, vsNamed2, named,
			[]d3d9.Constant{tint, change(world, func(c *d3d9.Constant) { c.Elements = 2 })}, "another type"},
		{"default added", vsNamed, vsNamed2, named,
			[]d3d9.Constant{change(tint, func(c *d3d9.Constant) { c.Default = one }), world}, "default"},

		{"array kept", vsArray, vsArray2, []d3d9.Constant{bones, unused}, []d3d9.Constant{bones}, ""},
		{"array dropped", vsArray, vsArray2, []d3d9.Constant{bones, unused}, []d3d9.Constant{unused},
			`no longer has "Bones"`},
		{"array shorter", vsArray, vsArray2, []d3d9.Constant{bones}, []d3d9.Constant{entry("Bones", 4, 5)},
			"number of registers"},
		{"index that starts anywhere", vsArray, vsArray2, []d3d9.Constant{entry("Far", 30, 1)}, nil, `no longer has "Far"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tabled := func(src string, list []d3d9.Constant) Pair {
				p := parse(t, src)
				if list != nil {
					p = with(p, tableBlock(list))
				}
				return Pair{Vertex: p}
			}
			r := Check(tabled(c.before, c.tables), tabled(c.after, c.tables2), Options{Numerics: Real, Seed: 1})
			wantRefusal(t, r, c.why)
		})
	}
}

// wantRefusal checks that the form check refuses with reason why, or that everything is proved if why is empty.
func wantRefusal(t *testing.T, r Report, why string) {
	t.Helper()
	switch {
	case why == "" && r.Verdict < ProvedReal:
		t.Errorf("%v: %s", r.Verdict, r.Why)
	case why != "" && (r.Verdict != Unknown || !strings.HasPrefix(r.Why, "form: ") || !strings.Contains(r.Why, why)):
		t.Errorf("%v: %q does not mention %q", r.Verdict, r.Why, why)
	}
}

// TestTableBlocks checks that tables which cannot be read, and blocks that belong to them, have to stay.
func TestTableBlocks(t *testing.T) {
	good := tableBlock([]d3d9.Constant{entry("World", 0, 4), entry("Tint", 4, 1)})
	other := tableBlock([]d3d9.Constant{entry("World", 1, 4), entry("Tint", 0, 1)})
	damaged := d3d9.Inst{Op: d3d9.OpComment, Comment: good.Comment[:12]}
	pres := d3d9.Inst{Op: d3d9.OpComment, Comment: []uint32{0x53455250, 1, 2}}
	note := d3d9.Inst{Op: d3d9.OpComment, Comment: []uint32{0x47554244, 1, 2}} // DBUG
	type blocks []d3d9.Inst
	for _, c := range []struct {
		name          string
		before, after blocks
		why           string
	}{
		{"damaged on one side", blocks{good}, blocks{damaged}, "cannot be read"},
		{"mended", blocks{damaged}, blocks{good}, "cannot be read"},
		{"one of two dropped", blocks{good, other}, blocks{good}, "cannot be read"},
		{"two exchanged", blocks{good, other}, blocks{other, good}, "cannot be read"},
		{"preshader dropped", blocks{good, pres}, blocks{good}, "preshader"},
		{"preshader added", blocks{good}, blocks{pres, good}, "preshader"},
		{"note dropped", blocks{good, note}, blocks{good}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, after := range []string{vsNamed, vsNamed2} {
				r := Check(Pair{Vertex: with(parse(t, vsNamed), c.before...)}, Pair{Vertex: with(parse(t, after), c.after...)},
					Options{Numerics: Real})
				wantRefusal(t, r, c.why)
			}
		})
	}
	versioned := func(src string) *d3d9.Program {
		p, block := parse(t, src), tableBlock([]d3d9.Constant{entry("Tint", 4, 1)})
		block.Comment[3] = d3d9.VS20.Token()
		return with(p, block)
	}
	raised := strings.Replace(vsNamed2, "vs_2_0", "vs_2_x", 1)
	wantRefusal(t, Check(Pair{Vertex: versioned(vsNamed)}, Pair{Vertex: versioned(raised)}, Options{Numerics: Real}),
		"another version")
	wantRefusal(t, Check(Pair{Vertex: versioned(vsNamed)}, Pair{Vertex: versioned(vsNamed2)}, Options{Numerics: Real}), "")
	for _, bs := range []blocks{{damaged}, {good, other}} {
		p := with(parse(t, vsNamed), bs...)
		if r := Check(Pair{Vertex: p}, Pair{Vertex: clone(p)}, Options{}); r.Verdict != Proved {
			t.Errorf("a program in place of itself is %v: %s", r.Verdict, r.Why)
		}
	}
}

func TestInterfaces(t *testing.T) {
	const vs3 = "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1.xyz; dcl_texcoord1 o2; mov o0, v0; mov o1.xyz, v1; "
	for _, c := range []struct {
		name          string
		before, after [2]string
		uploads       []Upload
		why           string
	}{
		// Models.
		{"extended model", [2]string{vsFilter, ps("mov r0, t0; add r0, r0, t0; mov oC0, r0")},
			[2]string{vsFilter, "ps_2_x; dcl t0; add r0, t0, t0; mov oC0, r0"}, nil, ""},
		{"model of software", [2]string{vsFilter, ps("mov r0, t0; add r0, r0, t0; mov oC0, r0")},
			[2]string{vsFilter, "ps_2_sw; dcl t0; add r0, t0, t0; mov oC0, r0"}, nil, "only for software"},
		{"models that are not drawn together", [2]string{vsFilter, "ps_2_0; dcl t0.xy; mov r0, t0.x; mov oC0, r0"},
			[2]string{vsFilter, "ps_3_0; dcl_texcoord v0.xy; mov oC0, v0.x"}, nil, "cannot be drawn together"},
		{"nor the other way round", [2]string{vs3 + "mov o2, v1", "ps_3_0; dcl_texcoord1 v0; mov oC0, v0"},
			[2]string{vs3 + "mov o2, v1", "ps_2_0; dcl t1; mov oC0, t1"}, nil, "cannot be drawn together"},
		{"mixed as before", [2]string{vsFilter, "ps_3_0; dcl_texcoord v0.xy; mov r0, v0.x; mov oC0, r0"},
			[2]string{vsFilter, "ps_3_0; dcl_texcoord v0.xy; mov oC0, v0.x"}, nil, ""},
		{"partners of a lone program", [2]string{vs("mov oPos, v0; mov oT0, v1")}, [2]string{vs3 + "mov o2, v1"}, nil,
			"cannot be drawn with"},

		// Inputs and samplers.
		{"input no longer declared", [2]string{vs("mov oPos, v0; mul r0, v1, v2; mov oT0, v1")},
			[2]string{"vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0, v1"}, nil, ""},
		{"input declared", [2]string{vs("mov oPos, v0; mov r0, v1; mov oT0, r0")},
			[2]string{"vs_2_0; dcl_position v0; dcl_texcoord v1; dcl_texcoord1 v2; dcl_normal v3; mov oPos, v0; mov oT0, v1"}, nil, "declares normal0.x"},
		{"inputs renumbered", [2]string{vs("mov oPos, v0; mul oT0, v1, v1")},
			[2]string{"vs_2_0; dcl_texcoord v0; dcl_position v1; mov oPos, v1; mul oT0, v0, v0"}, nil, ""},
		{"sampler no longer declared", [2]string{"", ps("texld r0, t0, s0; mul r1, r0, t0; mov oC0, t0")},
			[2]string{"", "ps_2_0; dcl t0; mov oC0, t0"}, nil, ""},
		{"sampler of another type", [2]string{"", ps("texld r0, t0, s0; mul r0, r0, t0; mov oC0, r0")},
			[2]string{"", "ps_2_0; dcl t0; dcl_cube s0; texld r0, t0, s0; mul r0, r0, t0; mov oC0, r0"}, nil, "another texture type"},
		{"sampler of another type that is not read", [2]string{"", ps("mul r0, t0, t1; mov oC0, r0")},
			[2]string{"", "ps_2_0; dcl t0; dcl t1; dcl_volume s0; mul r0, t1, t0; mov oC0, r0"}, nil, "another texture type"},
		{"sampler declared", [2]string{"", ps("mul r0, t0, t1; mov oC0, r0")},
			[2]string{"", "ps_2_0; dcl t0; dcl t1; dcl_2d s1; mul r0, t1, t0; mov oC0, r0"}, nil, "declares s1"},
		{"varying declared by a lone program", [2]string{"", "ps_2_0; dcl t0.xy; mov r0, t0.x; mov oC0, r0"},
			[2]string{"", "ps_2_0; dcl t0.xyz; mov r0, t0.x; mov r1, r0; mov oC0, r1"}, nil, "declares texcoord0.z"},
		{"output declared by a lone program", [2]string{vs3 + "mov o2, v1"},
			[2]string{strings.Replace(vs3, "mov o0", "dcl_texcoord7 o7; mov o0", 1) +
				"mov o2, v1"}, nil, "declares texcoord7.x"},
		{"vFace declared by itself", [2]string{"", "ps_3_0; cmp r0, vFace, c1, c2; mov oC0, r0"},
			[2]string{"", "ps_3_0; dcl vFace; cmp oC0, vFace, c1, c2"}, nil, ""},
		{"vPos declared and not read", [2]string{"", "ps_3_0; dcl_texcoord v0; mov r0, v0; mov oC0, r0"},
			[2]string{"", "ps_3_0; dcl_texcoord v0; dcl vPos.xy; mov oC0, v0"}, nil, ""},
		{"vFace no longer declared", [2]string{"", "ps_3_0; dcl vFace; cmp r0, vFace, c1, c2; mov oC0, r0"},
			[2]string{"", "ps_3_0; cmp oC0, vFace, c1, c2"}, nil, "without a declaration"},
		{"one semantic in two registers", [2]string{"", "ps_3_0; dcl_texcoord v0; mov r0, v0; mov oC0, r0"},
			[2]string{"", "ps_3_0; dcl_texcoord v0.xy; dcl_texcoord v1; mov oC0, v1"}, nil, "twice"},

		// Kinds of interpolation.
		{"centroid added", [2]string{"", "ps_2_0; dcl t0; mul r0, t0, t0; mov oC0, r0"},
			[2]string{"", "ps_2_0; dcl_centroid t0; mul r0, t0, t0; mov oC0, r0"}, nil, "with another interpolation"},
		{"centroid taken", [2]string{"", "ps_3_0; dcl_texcoord_centroid v0; mul r0, v0, v0; mov oC0, r0"},
			[2]string{"", "ps_3_0; dcl_texcoord v0; mul r0, v0, v0; mov oC0, r0"}, nil, "with another interpolation"},
		{"centroid kept", [2]string{"", "ps_3_0; dcl_texcoord_centroid v0; mul r0, v0, v0; mov oC0, r0"},
			[2]string{"", "ps_3_0; dcl_texcoord_centroid v3; mul oC0, v3, v3"}, nil, ""},
		{"partial precision of an input dropped", [2]string{"", "ps_2_0; dcl_pp t0; mul r0, t0, t0; mov oC0, r0"},
			[2]string{"", "ps_2_0; dcl t0; mul r0, t0, t0; mov oC0, r0"}, nil, ""},
		{"partial precision of an input added", [2]string{"", "ps_2_0; dcl t0; mul r0, t0, t0; mov oC0, r0"},
			[2]string{"", "ps_2_0; dcl_pp t0; mul r0, t0, t0; mov oC0, r0"}, nil, "partial precision"},
		{"colour for a texture coordinate", [2]string{"", "ps_3_0; dcl_texcoord v0; mul r0, v0, v0; mov oC0, r0"},
			[2]string{"", "ps_3_0; dcl_color v0; mul r0, v0, v0; mov oC0, r0"}, nil, "declares color0.x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Numerics: Real, Uploads: c.uploads, Seed: 1}
			wantRefusal(t, Check(pairOf(t, c.before[0], c.before[1]), pairOf(t, c.after[0], c.after[1]), o), c.why)
		})
	}
}

// TestLinkage checks both ends of the varyings of 3_0, and pairings of models.
func TestLinkage(t *testing.T) {
	vertex := func(decls, body string) string {
		return "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; " + decls + "mov o0, v0; " + body
	}
	var (
		one    = vertex("dcl_texcoord o1; ", "mov o1, v1")
		packed = vertex("dcl_texcoord o1.xy; dcl_texcoord1 o1.zw; ", "mov o1, v1")
		apart  = vertex("dcl_texcoord o1.xy; dcl_texcoord1 o2.zw; ", "mov o1.xy, v1; mov o2.zw, v1")
		pixel  = "ps_3_0; dcl_texcoord v0; mul r0, v0, v0; mov oC0, r0"
		shared = "ps_3_0; dcl_texcoord v0.xy; dcl_texcoord1 v0.zw; mul oC0, v0, v0"
		split  = "ps_3_0; dcl_texcoord v0.xy; dcl_texcoord1 v1.zw; mul oC0.xy, v0, v0; mul oC0.zw, v1, v1"
		fog    = "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oFog, v1.x; mov oT0, v1"
	)
	for _, c := range []struct {
		name          string
		before, after [2]string
		why           string
	}{
		{"semantics and registers anew", [2]string{one, pixel},
			[2]string{vertex("dcl_texcoord5 o7; ", "mov o7, v1"), "ps_3_0; dcl_texcoord5 v3; mul oC0, v3, v3"}, ""},
		{"centroid of what is the same everywhere", [2]string{vertex("dcl_texcoord o1; ", "mov o1, c0"), pixel},
			[2]string{vertex("dcl_texcoord o1; ", "mov o1, c0"),
				"ps_3_0; dcl_texcoord_centroid v0; mul oC0, v0, v0"}, "with another interpolation"},
		{"precision of what is the same everywhere", [2]string{vertex("dcl_texcoord o1; ", "mov o1, c0"), pixel},
			[2]string{vertex("dcl_texcoord o1; ", "mov o1, c0"),
				"ps_3_0; dcl_texcoord_pp v0; mul oC0, v0, v0"}, "partial precision"},
		{"packed on both sides", [2]string{one, pixel}, [2]string{packed, shared}, ""},
		{"taken apart on both sides", [2]string{packed, shared}, [2]string{apart, split}, ""},
		{"packed by the vertex program", [2]string{apart, split}, [2]string{packed, split}, "share a register"},
		{"packed by the pixel program", [2]string{apart, split}, [2]string{apart, shared}, "share a register"},
		{"more components than there are", [2]string{apart, split},
			[2]string{apart, strings.Replace(split, "dcl_texcoord v0.xy", "dcl_texcoord v0.xyz",
				1)}, "no output for texcoord0.z"},
		{"no output at all", [2]string{one, pixel},
			[2]string{one, "ps_3_0; dcl_texcoord v0; dcl_texcoord9 v1; mul oC0, v0, v0"}, "no output for texcoord9.x"},
		{"none before either", [2]string{one, "ps_3_0; dcl_texcoord v0; dcl_texcoord9 v1; mul r0, v0, v1; mov oC0, r0"},
			[2]string{one, "ps_3_0; dcl_texcoord v0; dcl_texcoord9 v1; mul oC0, v1, v0"}, ""},
		{"fog behind another model", [2]string{fog, "ps_2_0; dcl t0; mul r0, t0, t0; mov oC0, r0"},
			[2]string{vertex("dcl_texcoord o1; dcl_fog o2; ", "mov o1, v1; mov o2, v1.x"), pixel}, "fog is blended differently"},
		{"component no longer declared", [2]string{"", "ps_3_0; dcl_texcoord v0; mul r0, v0, v1; mov oC0, r0"},
			[2]string{"", "ps_3_0; dcl_texcoord v0.xy; mul oC0, v0, v1"}, "v0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Numerics: Real, Seed: 1}
			wantRefusal(t, Check(pairOf(t, c.before[0], c.before[1]), pairOf(t, c.after[0], c.after[1]), o), c.why)
		})
	}
}

// TestUploadsOfUploads checks that nothing else sets the target of an upload, and that its source keeps its
// name. The application must set the source, not another upload.
func TestUploadsOfUploads(t *testing.T) {
	p := Pair{Vertex: parse(t, vs("mov oPos, v0; mov oT0, c6")),
		Pixel: parse(t, "ps_2_0; dcl t0; mul r0, t0, c9; mov oC0, r0")}
	wantRefusal(t, Check(p, p, Options{Uploads: []Upload{{From: 5, To: 9, Lowered: true}, {From: 9, To: 6}}}),
		"which another upload sets")
}

func TestUploadsByName(t *testing.T) {
	vsBefore, psBefore := vs("mov oPos, v0; mov oT0, v1"), "ps_2_0; dcl t0; mul r0, t0, c3; mov oC0, r0"
	vsAfter, psAfter := vs("mov oPos, v0; mul oT0, v1, c9"), "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0"
	scale := tableBlock([]d3d9.Constant{entry("Scale", 3, 1)})
	at9 := func(name string) d3d9.Inst { return tableBlock([]d3d9.Constant{entry(name, 9, 1)}) }
	none := tableBlock(nil)
	for _, c := range []struct {
		name           string
		vertex, pixel  d3d9.Inst // tables of both versions
		pixelAfterward d3d9.Inst
		why            string
	}{
		{"free", none, scale, scale, ""},
		{"taken", at9("Other"), scale, scale, "belongs to"},
		{"the same parameter", at9("Scale"), scale, scale, ""},
		{"nameless source", none, scale, none, `no longer has "Scale"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := Pair{Vertex: with(parse(t, vsBefore), c.vertex), Pixel: with(parse(t, psBefore), c.pixel)}
			after := Pair{Vertex: with(parse(t, vsAfter), c.vertex), Pixel: with(parse(t, psAfter), c.pixelAfterward)}
			wantRefusal(t, Check(before, after, Options{Numerics: Real, Uploads: []Upload{{From: 3, To: 9}}, Seed: 1}), c.why)
		})
	}
}

// TestTableOfCorpus exchanges two parameters in the table of a real program, and drops the table.
func TestTableOfCorpus(t *testing.T) {
	dir := testcorpus.Path(t, "corpus/d3d9/pairs/Billboard__t2_p0")
	p := Pair{Vertex: readProgram(t, filepath.Join(dir, "vs.vso")), Pixel: readProgram(t, filepath.Join(dir, "ps.pso"))}
	at := slices.IndexFunc(p.Vertex.Insts, func(in d3d9.Inst) bool { return in.IsConstantTable() })
	edit := func(f func(words []uint32)) Pair {
		q := clone(p.Vertex)
		in := &q.Insts[at]
		in.Comment, in.Raw = slices.Clone(in.Comment), nil
		f(in.Comment)
		return Pair{Vertex: q, Pixel: p.Pixel}
	}
	// Registers of the first two constants, in words after the mark. Entries of five words start at byte 28;
	// set and index are the second word.
	exchanged := edit(func(w []uint32) { w[1+28/4+1], w[1+28/4+6] = w[1+28/4+6], w[1+28/4+1] })
	dropped := clone(p.Vertex)
	dropped.Insts = slices.Delete(dropped.Insts, at, at+1)
	for name, q := range map[string]Pair{"exchanged": exchanged, "dropped": {Vertex: dropped, Pixel: p.Pixel}} {
		if r := Check(p, q, Options{Numerics: Real}); r.Verdict != Unknown ||
			!strings.HasPrefix(r.Why, "form: the constant table") {
			t.Errorf("%s: %v, %s", name, r.Verdict, r.Why)
		}
	}
	if r := Check(p, edit(func([]uint32) {}), Options{}); r.Verdict != Proved {
		t.Errorf("unchanged: %v, %s", r.Verdict, r.Why)
	}
}
