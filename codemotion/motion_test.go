package codemotion_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// pair is a vertex and a pixel program.
type pair struct{ vs, ps *d3d9.Program }

// parse reads a program whose statements are separated by semicolons.
func parse(t testing.TB, src string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(strings.ReplaceAll(src, "; ", "\n")+"\n"))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if err := d3d9.Faults(p).Err(); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return p
}

func (p pair) unit(t testing.TB) *passes.Unit {
	t.Helper()
	vs, err := vsps.Lift(p.vs)
	if err != nil {
		t.Fatal(err)
	}
	ps, err := vsps.Lift(p.ps)
	if err != nil {
		t.Fatal(err)
	}
	return &passes.Unit{Name: "test", Vertex: vs, Pixel: ps,
		Stages: rounding.Stages{Pair: vsps.Pair{Vertex: p.vs, Pixel: p.ps}}}
}

// emit writes u, which was lifted from p, and validates it.
func (p pair) emit(u *passes.Unit) (q pair, err error) {
	if q.vs, err = vsps.Emit(p.vs, u.Vertex, u.Varyings...); err != nil {
		return q, err
	}
	if q.ps, err = vsps.Emit(p.ps, u.Pixel, u.Varyings...); err != nil {
		return q, err
	}
	if err := d3d9.Faults(q.vs).Err(); err != nil {
		return q, err
	}
	return q, d3d9.Faults(q.ps).Err()
}

func (p pair) measure(u *passes.Unit) (passes.Cost, error) {
	q, err := p.emit(u)
	if err != nil {
		return passes.Cost{}, err
	}
	v, f := d3d9.Measure(q.vs), d3d9.Measure(q.ps)
	return passes.Cost{f.Slots, v.Slots, f.TextureRuns, v.Temps + f.Temps}, nil
}

// code returns the program without its version, declarations and definitions, on one line.
func code(p *d3d9.Program) string {
	var body []string
	for _, line := range strings.Split(strings.TrimSpace(string(d3d9.Print(p))), "\n")[1:] {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "dcl") && !strings.HasPrefix(line, "def") {
			body = append(body, line)
		}
	}
	return strings.Join(body, "; ")
}

// decls returns the declarations, on one line.
func decls(p *d3d9.Program) string {
	var list []string
	for _, line := range strings.Split(string(d3d9.Print(p)), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "dcl") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "; ")
}

// run runs passes and checks that the result is valid and proved, and that the position is the same term.
func run(t testing.TB, p pair, mirrored bool, list ...*passes.Pass) (pair, *passes.Unit, passes.Report) {
	t.Helper()
	u := p.unit(t)
	var pipeline passes.Pipeline
	for _, pass := range list {
		pipeline = append(pipeline, passes.Stage{Pass: pass})
	}
	report, err := passes.Run(u, pipeline, passes.Config{Numerics: passes.Real, HostMirrored: mirrored,
		Measure: p.measure})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Stats {
		if s.Outcome == passes.Reverted {
			t.Errorf("%s was reverted: %v", s.Stage, report.Remarks)
		}
	}
	q, err := p.emit(u)
	if err != nil {
		t.Fatal(err)
	}
	o := verify.Options{Numerics: verify.Real}
	for _, up := range u.Uploads {
		o.Uploads = append(o.Uploads, verify.Upload(up))
	}
	if v := verify.Check(verify.Pair{Vertex: p.vs, Pixel: p.ps}, verify.Pair{Vertex: q.vs, Pixel: q.ps},
		o); v.Verdict < verify.ProvedReal {
		t.Errorf("the result is %v: %s %+v\n%s%s", v.Verdict, v.Why, v.Counterexample, d3d9.Print(q.vs), d3d9.Print(q.ps))
	}
	alone := verify.Check(verify.Pair{Vertex: position(t, p.vs)}, verify.Pair{Vertex: position(t, q.vs)},
		verify.Options{Numerics: verify.Terms})
	if alone.Verdict != verify.Proved {
		t.Errorf("the position is no longer the same: %v, %s", alone.Verdict, alone.Why)
	}
	return q, u, report
}

// position returns a vertex program without outputs other than the position.
func position(t testing.TB, p *d3d9.Program) *d3d9.Program {
	t.Helper()
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	at := ir.Reg{File: ir.File(d3d9.RastOut), Index: d3d9.PosIndex}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Output && in.Decl.Usage == d3d9.UsagePosition {
			at = ir.Reg{File: ir.File(in.Dst.File), Index: in.Dst.Index}
		}
	}
	var outs []ir.Output
	for _, o := range f.Outs {
		if o.Reg.File == at.File && o.Reg.Index == at.Index {
			outs = append(outs, o)
		}
	}
	f.Outs = outs
	q, err := vsps.Emit(p, f)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// motion is a pair and the result of the pass.
type motion struct {
	name     string
	vs, ps   string
	mirrored bool
	// The expected code, without declarations; empty: unchanged.
	vs2, ps2 string
	// The declarations of the pixel program, where they matter.
	dcl     string
	uploads []passes.Upload
}

const (
	vs11 = "vs_1_1; dcl_position v0; dcl_texcoord v1; mov oPos, v0; "
	vs20 = "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; "
	vs30 = "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1; mov o0, v0; "
	ps20 = "ps_2_0; def c0, 0.125, 0.5, 1, 0; dcl t0; dcl_2d s0; "
)

func TestMotion(t *testing.T) {
	for _, c := range motions {
		t.Run(c.name, func(t *testing.T) {
			p := pair{parse(t, c.vs), parse(t, c.ps)}
			q, u, _ := run(t, p, c.mirrored, codemotion.Pass)
			if got := code(q.vs); got != c.vs2 {
				t.Errorf("vertex program\n%s\nwant\n%s", got, c.vs2)
			}
			if got := code(q.ps); got != c.ps2 {
				t.Errorf("pixel program\n%s\nwant\n%s", got, c.ps2)
			}
			if got := decls(q.ps); c.dcl != "" && got != c.dcl {
				t.Errorf("pixel declarations\n%s\nwant\n%s", got, c.dcl)
			}
			if !slices.Equal(u.Uploads, c.uploads) {
				t.Errorf("uploads %v, want %v", u.Uploads, c.uploads)
			}
		})
	}
}

var motions = []motion{
	{name: "a coordinate that leaves a hole in the write mask, which zero fills", vs: vs20 + "mov oT0, v1",
		ps:  "ps_2_0; def c0, 0.125, 0.5, 1, 0; dcl t0; dcl_2d s0; dcl_2d s1; texld r1, t0, s0; mad r0, t0, c0.x, c0.x; texldp r0, r0, s1; mul r1, r1, r0; mov oC0, r1",
		vs2: "mov oPos, v0; mov r0, v1; mov oT0, r0; mad oT1.xyw, r0, c0.x, c0.x; mov oT1.z, c0",
		ps2: "texld r1, t0, s0; texldp r0, t1, s1; mul r1, r1, r0; mov oC0, r1"},
	// Before 3.0 a coordinate is read without a swizzle, so each gets a register.
	{name: "taps of 2.0",
		vs:  vs20 + "mov oT0.xy, v1",
		ps:  "ps_2_0; def c0, 0.125, 0, 1, 0; dcl t0.xy; dcl_2d s0; add r0.xy, t0, c0; add r1.xy, t0, -c0; texld r0, r0, s0; texld r1, r1, s0; add r0, r0, r1; mov oC0, r0",
		vs2: "mov oPos, v0; mov r0.xy, v1; mov oT0.xy, r0; add oT1.xy, r0, c0; add oT2.xy, r0, -c0",
		ps2: "texld r0, t1, s0; texld r1, t2, s0; add r0, r0, r1; mov oC0, r0",
		dcl: "dcl_2d s0; dcl t1.xy; dcl t2.xy"},
	{name: "taps of 3.0 share a register",
		vs:  vs30 + "mov o1, v1",
		ps:  "ps_3_0; def c0, 0.125, 0, 1, 0; dcl_texcoord v0; dcl_2d s0; add r0.xy, v0, c0; add r1.xy, v0, -c0; texld r0, r0, s0; texld r1, r1, s0; mad oC0, r0, v0.z, r1",
		vs2: "mov o0, v0; mov r0, v1; mov o1, r0; add o2.xy, r0, c0; add o2.zw, r0.xxxy, -c0.xxxy",
		ps2: "texld r0, v1, s0; texld r1, v1.zwww, s0; mad oC0, r0, v0.z, r1",
		dcl: "dcl_texcoord v0; dcl_2d s0; dcl_texcoord1 v1"},
	{name: "free components of a register in use",
		vs:  vs30 + "mov o1.xy, v1",
		ps:  "ps_3_0; def c0, 0.125, 0, 1, 0; dcl_texcoord v0.xy; dcl_2d s0; add r0.xy, v0, c0; texld r0, r0, s0; texld r1, v0, s0; add oC0, r0, r1",
		vs2: "mov o0, v0; mov r0.xy, v1; mov o1.xy, r0; add o1.zw, r0.xxxy, c0.xxxy",
		ps2: "texld r0, v0.zwww, s0; texld r1, v0, s0; add oC0, r0, r1",
		dcl: "dcl_texcoord v0; dcl_2d s0"},
	{name: "free components of a register in use of 2.0",
		vs:  vs20 + "mov oT0.xy, v1",
		ps:  "ps_2_0; def c0, 0.125, 0, 1, 0; dcl t0.xy; dcl_2d s0; texld r0, t0, s0; add r1.x, t0.x, -t0.y; mad r1.x, r1.x, c0.x, c0.z; mul r0, r0, r1.x; mov oC0, r0",
		vs2: "mov oPos, v0; mov r0.xy, v1; mov oT0.xy, r0; add r0.x, r0, -r0.y; mad oT0.z, r0.x, c0.x, c0.y",
		ps2: "texld r0, t0, s0; mul r0, r0, t0.z; mov oC0, r0",
		dcl: "dcl t0.xyz; dcl_2d s0"},
	{name: "models mixed",
		vs:  vs20 + "mov oT0.xy, v1",
		ps:  "ps_3_0; def c0, 0.125, 0, 1, 0; dcl_texcoord v0.xy; dcl_2d s0; add r0.xy, v0, c0; add r1.xy, v0, -c0; texld r0, r0, s0; texld r1, r1, s0; add oC0, r0, r1",
		vs2: "mov oPos, v0; mov r0.xy, v1; mov oT0.xy, r0; add oT0.zw, r0.xxxy, c0.xxxy; add oT1.xy, r0, -c0",
		ps2: "texld r0, v0.zwww, s0; texld r1, v1, s0; add oC0, r0, r1"},
	{name: "four components need a register of their own",
		vs:  vs20 + "mov oT0, v1",
		ps:  ps20 + "add r0, t0, -c0; texld r1, t0, s0; mul r0, r0, r1; mov oC0, r0",
		vs2: "mov oPos, v0; mov r0, v1; mov oT0, r0; add oT1, r0, -c0",
		ps2: "texld r1, t0, s0; mul r0, t1, r1; mov oC0, r0"},

	// Constants of the host.
	{name: "rows of a matrix",
		vs: vs20 + "mov oT0, v1", mirrored: true,
		ps:      "ps_2_0; dcl t0; dcl_2d s0; dp4 r0.x, t0, c3; dp4 r0.y, t0, c4; texld r0, r0, s0; mov oC0, r0",
		vs2:     "mov oPos, v0; mov r0, v1; mov oT0, r0; dp4 oT1.x, r0, c0; dp4 oT1.y, r0, c1",
		ps2:     "texld r0, t1, s0; mov oC0, r0",
		uploads: []passes.Upload{{From: 3, To: 0}, {From: 4, To: 1}}},
	{name: "host constants in use are not overwritten",
		vs: "vs_2_0; dcl_position v0; dcl_texcoord v1; def c1, 2, 0, 0, 0; dp4 oPos.x, v0, c0; dp4 oPos.yzw, v0, c2; mul oT0, v1, c1.x", mirrored: true,
		ps:      "ps_2_0; dcl t0; dcl_2d s0; dp4 r0.xy, t0, c0; texld r0, r0, s0; mov oC0, r0",
		vs2:     "dp4 oPos.x, v0, c0; dp4 oPos.yzw, v0, c2; mul r0, v1, c1.x; mov oT0, r0; dp4 oT1.xy, r0, c3",
		ps2:     "texld r0, t1, s0; mov oC0, r0",
		uploads: []passes.Upload{{From: 0, To: 3}}},
	{name: "invariant factor",
		vs: vs20 + "mov oT0, v1", mirrored: true,
		ps:      "ps_2_0; dcl t0; dcl_2d s0; rcp r0.x, c5.x; mul r0.x, r0.x, t0.w; rsq r0.y, t0.z; texld r1, t0, s0; mul r1, r1, r0.x; mul r1, r1, r0.y; mov oC0, r1",
		vs2:     "mov oPos, v0; mov r0, v1; mov oT0, r0; rcp r0.x, c0.x; mul oT1.x, r0, r0.w",
		ps2:     "rsq r0.y, t0.z; texld r1, t0, s0; mul r1, r1, t1.x; mul r1, r1, r0.y; mov oC0, r1",
		uploads: []passes.Upload{{From: 5, To: 0}}},

	// Instructions that the vertex model has to expand.
	{name: "dp2add",
		vs:  vs20 + "mov oT0, v1",
		ps:  ps20 + "dp2add r0.x, t0, c0, c0.z; rsq r0.x, r0.x; mul r0, r0.x, t0; mov oC0, r0",
		vs2: "mov oPos, v0; mov r0, v1; mov oT0, r0; mad r1.x, r0.y, c0, c0.y; mad oT1.x, r0, c0.z, r1",
		ps2: "rsq r0.x, t1.x; mul r0, r0.x, t0; mov oC0, r0"},
	{name: "lrp of 1.1",
		vs:  vs11 + "mov oT0, v1",
		ps:  ps20 + "lrp r0, c0.x, t0, c0; texld r1, t0, s0; mul r0, r0, r1; mov oC0, r0",
		vs2: "mov oPos, v0; mov r0, v1; mov oT0, r0; add r0, r0, -c0; mad oT1, c0.x, r0, c0",
		ps2: "texld r1, t0, s0; mul r0, t1, r1; mov oC0, r0"},
	{name: "moves",
		vs:  vs20 + "mov oT0, v1",
		ps:  ps20 + "mul r0.xy, t0, c0.x; mov r1.x, -r0.x; mov r1.y, r0.y; texld r1, r1, s0; mov oC0, r1",
		vs2: "mov oPos, v0; mov r0, v1; mov oT0, r0; mul r0.xy, r0, c0.x; mov oT1.x, -r0; mov oT1.y, r0",
		ps2: "texld r1, t1, s0; mov oC0, r1"},
	{name: "partial precision is dropped",
		vs:  vs20 + "mov oT0.xy, v1",
		ps:  ps20 + "mul_pp r0.xy, t0, c0; texld r0, r0, s0; mov_pp oC0, r0",
		vs2: "mov oPos, v0; mov r0.xy, v1; mov oT0.xy, r0; mul oT1.xy, r0, c0",
		ps2: "texld r0, t1, s0; mov_pp oC0, r0"},

	// Registers that must not carry moved values.
	{name: "a register in partial precision",
		vs:  vs20 + "mov oT0.xy, v1",
		ps:  "ps_2_0; def c0, 0.125, 0, 0, 0; dcl_pp t0.xy; dcl_2d s0; texld r0, t0, s0; mul r1.x, t0.x, c0.x; mul r0, r0, r1.x; mov oC0, r0",
		vs2: "mov oPos, v0; mov r0.xy, v1; mov oT0.xy, r0; mul oT1.x, r0, c0",
		ps2: "texld r0, t0, s0; mul r0, r0, t1.x; mov oC0, r0",
		dcl: "dcl_pp t0.xy; dcl_2d s0; dcl t1.x"},
	{name: "a colour",
		vs:  vs20 + "mov oT0, v1; mov oD0.xy, v1",
		ps:  "ps_2_0; def c0, 0.125, 0, 0, 0; dcl t0; dcl v0.xy; dcl_2d s0; texld r0, t0, s0; mul r1.x, t0.x, c0.x; mul r0, r0, v0.x; mul r0, r0, r1.x; mov oC0, r0",
		vs2: "mov oPos, v0; mov r0, v1; mov oT0, r0; mov oD0.xy, v1; mul oT1.x, r0, c0",
		ps2: "texld r0, t0, s0; mul r0, r0, v0.x; mul r0, r0, t1.x; mov oC0, r0",
		dcl: "dcl t0; dcl v0.xy; dcl_2d s0; dcl t1.x"},
	{name: "a centroid",
		vs:  vs30 + "mov o1.xy, v1",
		ps:  "ps_3_0; def c0, 0.125, 0, 0, 0; dcl_texcoord_centroid v0.xy; dcl_texcoord1 v1; dcl_2d s0; texld r0, v0, s0; mul oC0, r0, v0.x",
		vs2: "mov o0, v0; mov o1.xy, v1",
		ps2: "texld r0, v0, s0; mul oC0, r0, v0.x"},
}

// refusal is a pair that stays unchanged, and an edit after which the pass moves something. The edited part
// is therefore the reason for the refusal.
type refusal struct {
	name             string
	vs, ps           string
	old, new         string // to be replaced in both programs
	mirrored, mirror bool   // of the pair, of the changed pair
}

// A factor of a texture result.
const factor20 = "ps_2_0; def c0, 0.125, 0.5, 1, 0; dcl t0; dcl_2d s0; texld r1, t0, s0; "
const factor30 = "ps_3_0; def c0, 0.125, 0.5, 1, 0; dcl_texcoord v0; dcl_2d s0; texld r1, v0, s0; "
const times20 = "; mul r1, r1, r0.x; mov oC0, r1"
const times30 = "; mul oC0, r1, r0.x"

var refusals = []refusal{
	{name: "function that is not linear", vs: vs20 + "mov oT0, v1", ps: factor20 + "frc r0.x, t0.x" + times20,
		old: "frc r0.x, t0.x", new: "mul r0.x, t0.x, c0.x"},
	{name: "product of two varyings", vs: vs20 + "mov oT0, v1", ps: factor20 + "mul r0.x, t0.x, t0.y" + times20,
		old: "t0.x, t0.y", new: "t0.x, c0.y"},
	{name: "saturation", vs: vs30 + "mov o1, v1", ps: factor30 + "mul_sat r0.x, v0.x, c0.x" + times30,
		old: "_sat", new: ""},
	{name: "saturation that the vertex model lacks", vs: vs20 + "mov oT0, v1",
		ps:  factor20 + "mul_sat r0.x, c5.x, c5.y; mul r0.x, r0.x, t0.z" + times20,
		old: "_sat", new: "", mirrored: true, mirror: true},
	{name: "absolute value", vs: vs30 + "mov o1, v1", ps: factor30 + "add r0.x, v0_abs.x, c0.x" + times30,
		old: "_abs", new: ""},
	{name: "absolute value that the vertex model lacks", vs: vs20 + "mov oT0, v1",
		ps:  "ps_3_0; dcl_texcoord v0; dcl_2d s0; texld r1, v0, s0; add r0.x, c5_abs.x, c5.y; mul r0.x, r0.x, v0.z" + times30,
		old: "_abs", new: "", mirrored: true, mirror: true},
	{name: "clamped colour", vs: vs20 + "mov oT0, v1; mov oD0, v1",
		ps:  "ps_2_0; def c0, 0.125, 0, 0, 0; dcl t0; dcl v0; dcl_2d s0; texld r1, t0, s0; mul r0.x, v0.x, c0.x" + times20,
		old: "v0.x, c0.x", new: "t0.x, c0.x"},
	{name: "colour", vs: "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1; dcl_color1 o2; mov o0, v0; mov o1, v1; mov o2, v1.x",
		ps:  "ps_3_0; def c0, 0.125, 0, 0, 0; dcl_texcoord v0; dcl_color1 v1; dcl_2d s0; texld r1, v0, s0; mul r0.x, v1.x, c0.x" + times30,
		old: "dcl_color1", new: "dcl_texcoord1"},
	{name: "centroid", vs: vs30 + "mov o1, v1",
		ps: "ps_3_0; def c0, 0.125, 0, 0, 0; dcl_texcoord_centroid v0; dcl_2d s0; texld r1, v0, s0; mul r0.x, v0.x, c0.x" +
			times30,
		old: "_centroid", new: ""},
	{name: "input that the vertex program does not write", vs: vs20 + "mov oT0.xy, v1",
		ps:  factor20 + "mul r0.x, t0.z, c0.x" + times20,
		old: "t0.z", new: "t0.y"},
	{name: "register of two semantics", vs: "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1; dcl_texcoord1 o2; mov o0, v0; mov o1, v1; mov o2, v1.y",
		ps:  "ps_3_0; def c0, 0.125, 0, 0, 0; dcl_texcoord v0.xy; dcl_texcoord1 v0.zw; dcl_2d s0; texld r1, v0, s0; mul r0.x, v0.z, c0.x" + times30,
		old: "dcl_texcoord v0.xy; dcl_texcoord1 v0.zw", new: "dcl_texcoord v0"},
	{name: "gradient", vs: vs30 + "mov o1, v1", ps: factor30 + "dsx r0.x, v0.x" + times30,
		old: "dsx r0.x, v0.x", new: "mul r0.x, v0.x, c0.x"},
	{name: "fetch", vs: vs20 + "mov oT0, v1", ps: factor20 + "mul r0.x, r1.x, c0.x" + times20,
		old: "r1.x, c0.x", new: "t0.x, c0.x"},
	{name: "position of the pixel", vs: vs30 + "mov o1, v1",
		ps:  "ps_3_0; def c0, 0.125, 0, 0, 0; dcl_texcoord v0; dcl vPos.xy; dcl_2d s0; texld r1, v0, s0; mul r0.x, vPos.x, c0.x" + times30,
		old: "vPos.x,", new: "v0.x,"},
	{name: "op that the vertex model lacks", vs: vs30 + "mov o1, v1",
		ps:  factor30 + "cmp r0.x, c5.x, c5.y, c5.z; mul r0.x, r0.x, v0.z" + times30,
		old: "cmp", new: "mad", mirrored: true, mirror: true},
	{name: "predicated write", vs: vs30 + "mov o1, v1",
		ps:  factor30 + "setp_gt p0.x, v0.x, c0.x; mov r0.x, c0.y; (p0) mul r0.x, v0.x, c0.x" + times30,
		old: "(p0) ", new: ""},
	{name: "value of a branch", vs: vs30 + "mov o1, v1",
		ps:  factor30 + "mov r0.x, c0.y; if_gt v0.x, c0.x; mul r0.x, v0.x, c0.x; endif" + times30,
		old: "if_gt v0.x, c0.x; mul r0.x, v0.x, c0.x; endif", new: "mul r0.x, v0.x, c0.x"},
	{name: "depth", vs: vs20 + "mov oT0, v1", ps: factor20 + "mul r0.x, t0.x, c0.x; mov oDepth, r0.x; mov oC0, r1",
		old: "mov oDepth, r0.x", new: "mul r1, r1, r0.x"},
	{name: "constant of the host", vs: vs20 + "mov oT0, v1", ps: factor20 + "mul r0.x, t0.x, c5.x" + times20,
		mirror: true},
	{name: "constants that are all indexed, for a host constant", vs: vs20 + "mova a0.x, v1.x; add oT0, v1, c[a0.x]",
		ps:  factor20 + "mul r0.x, t0.x, c5.x" + times20,
		old: "c[a0.x]", new: "c0", mirrored: true, mirror: true},
	{name: "constants that are all indexed, for a literal", vs: vs20 + "mova a0.x, v1.x; add oT0, v1, c[a0.x]",
		ps:  factor20 + "mul r0.x, t0.x, c0.x" + times20,
		old: "c[a0.x]", new: "c0"},
	{name: "nothing saved, since one instruction reads one t#", vs: vs20 + "mov oT0, v1; mov oT1, v0",
		ps:  "ps_2_0; def c0, 0.125, 0, 0, 0; dcl t0; dcl t1; mul r0, t0, c0.x; mul r0, r0, t1; mov oC0, r0",
		old: "mul r0, t0, c0.x", new: "mul r0, t0, c0.x; add r0, r0, c0.x"},
}

func TestRefusals(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			p := pair{parse(t, c.vs), parse(t, c.ps)}
			q, u, _ := run(t, p, c.mirrored, codemotion.Pass)
			if code(q.vs) != code(p.vs) || code(q.ps) != code(p.ps) || len(u.Uploads) > 0 || len(u.Varyings) > 0 {
				t.Errorf("moved:\n%s\n%s", code(q.vs), code(q.ps))
			}
			r := strings.NewReplacer(c.old, c.new)
			if c.old == "" {
				r = strings.NewReplacer()
			}
			p = pair{parse(t, r.Replace(c.vs)), parse(t, r.Replace(c.ps))}
			q, _, report := run(t, p, c.mirror, codemotion.Pass)
			if report.After[0] >= report.Before[0] {
				t.Errorf("something else keeps it from moving: %v\n%s\n%s", report.Remarks, code(q.vs), code(q.ps))
			}
		})
	}
}

// repeat joins n copies of text; the k-th has k in place of N.
func repeat(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("N", strconv.Itoa(i), "R", "r"+strconv.Itoa(1+i%11)).Replace(text))
	}
	return b.String()
}

// Texture coordinates end at t7 and inputs at v9: operands beyond that stay.
func TestInterpolatorLimit(t *testing.T) {
	defs := repeat(12, "def cN, N.5e-2, 0, 0, 0; ") // small, or the vertex program would round more
	for _, c := range []struct {
		name, vs, ps string
		left, regs   int // additions, inputs
	}{
		{"2.0", vs20 + "mov oT0, v1", "ps_2_0; " + defs + "dcl t0; dcl_cube s0; mov r0, t0; " +
			repeat(12, "add R.xyz, t0, cN.x; texld R, R, s0; mul r0, r0, R; ") + "mov oC0, r0", 12 - 7, 8},
		{"3.0", vs30 + "mov o1, v1", "ps_3_0; " + defs + "dcl_texcoord v0; dcl_cube s0; mov r0, v0; " +
			repeat(12, "add r1.xyz, v0, cN.x; texld r1, r1, s0; mul r0, r0, r1; ") + "mov oC0, r0", 12 - 9, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _, _ := run(t, pair{parse(t, c.vs), parse(t, c.ps)}, false, codemotion.Pass)
			if n := strings.Count(code(q.ps), "add "); n != c.left {
				t.Errorf("%d coordinates stay, want %d\n%s", n, c.left, d3d9.Print(q.ps))
			}
			if n := strings.Count(decls(q.ps), "dcl") - 1; n != c.regs {
				t.Errorf("%d inputs, want %d", n, c.regs)
			}
		})
	}
}

// The vertex program accepts code up to its slot limit.
func TestVertexSlotLimit(t *testing.T) {
	ps := ps20 + "add r0.xyz, t0, c0.x; texld r0, r0, s0; add r1.xyz, t0, c0.y; texld r1, r1, s0; add r2.xyz, t0, c0.z; texld r2, r2, s0; add r0, r0, r1; add r0, r0, r2; mov oC0, r0"
	for _, c := range []struct{ slots, moved int }{{124, 3}, {125, 3}, {126, 2}, {127, 1}, {128, 0}} {
		vs := vs11 + "mov r0, v1; " + strings.Repeat("add r0, r0, c1; ", c.slots-3) + "mov oT0, r0"
		q, _, _ := run(t, pair{parse(t, vs), parse(t, ps)}, false, codemotion.Pass)
		if n := 5 - strings.Count(code(q.ps), "add "); n != c.moved {
			t.Errorf("with %d slots taken %d additions move, want %d", c.slots, n, c.moved)
		}
		if n := d3d9.Measure(q.vs).Slots; n != c.slots+c.moved {
			t.Errorf("%d slots become %d", c.slots, n)
		}
	}
}

// A selection passes each value once, for all its readers.
func TestShared(t *testing.T) {
	p := pair{parse(t, vs20+"mov oT0, v1"), parse(t, "ps_2_0; def c0, 0.125, 0, 0, 0; dcl t0; dcl_2d s0; dcl_2d s1; "+
		"add r0.xy, t0, c0.x; texld r1, r0, s0; texld r2, r0, s1; mul r1, r1, r2; mul r1, r1, r0.x; mov oC0, r1")}
	q, _, _ := run(t, p, false, codemotion.Pass)
	if want := "texld r1, t1, s0; texld r2, t1, s1; mul r1, r1, r2; mul r1, r1, t1.x; mov oC0, r1"; code(q.ps) != want {
		t.Errorf("pixel program\n%s\nwant\n%s", code(q.ps), want)
	}
}

// Inputs of several registers that one operand reads are worth moving: combining them takes moves, though no
// instruction shows it.
func TestLeavesTogether(t *testing.T) {
	p := pair{parse(t, vs20+"mov oT0, v1; mov oT1, v0"),
		parse(t, "ps_2_0; dcl t0; dcl t1; dcl_2d s0; mov r0.x, t0.y; mov r0.y, t1.x; texld r0, r0, s0; mov oC0, r0")}
	for _, list := range [][]*passes.Pass{{codemotion.Pass}, {cleanup.Leaves, codemotion.Pass}} {
		q, _, _ := run(t, p, false, list...)
		if want := "texld r0, t2, s0; mov oC0, r0"; code(q.ps) != want {
			t.Errorf("pixel program\n%s\nwant\n%s", code(q.ps), want)
		}
	}
}

// A lone program has no partner to move code to.
func TestLone(t *testing.T) {
	p := pair{parse(t, vs20+"mov oT0, v1"), parse(t, factor20+"mul r0.x, t0.x, c0.x"+times20)}
	for _, pass := range []*passes.Pass{codemotion.Pass, codemotion.Varyings} {
		for _, vertex := range []bool{false, true} {
			u := p.unit(t)
			if vertex {
				u.Pixel = nil
			} else {
				u.Vertex = nil
			}
			report, err := passes.Run(u, passes.Pipeline{{Pass: pass}}, passes.Config{Numerics: passes.Real})
			if err != nil || report.Steps != 0 {
				t.Errorf("%s: %d steps, %v", pass.Name, report.Steps, err)
			}
		}
	}
}

// taps has two operands that can move.
var taps = struct{ vs, ps string }{vs20 + "mov oT0, v1",
	ps20 + "add r0.xy, t0, c0.x; add r1.xy, t0, c0.y; texld r0, r0, s0; texld r1, r1, s0; add r0, r0, r1; mov oC0, r0"}

// partly moves the motions of a selection that cfg permits, and verifies the result.
func partly(t *testing.T, p pair, cfg passes.Config) pair {
	t.Helper()
	cfg.Numerics, cfg.Measure = passes.Real, p.measure
	u := p.unit(t)
	if _, err := passes.Run(u, passes.Pipeline{{Pass: codemotion.Pass}}, cfg); err != nil {
		t.Fatal(err)
	}
	q, err := p.emit(u)
	if err != nil {
		t.Fatal(err)
	}
	if v := verify.Check(verify.Pair{Vertex: p.vs, Pixel: p.ps}, verify.Pair{Vertex: q.vs, Pixel: q.ps},
		verify.Options{Numerics: verify.Real}); v.Verdict < verify.ProvedReal {
		t.Errorf("%v: %s", v.Verdict, v.Why)
	}
	return q
}

// Fuel for n motions permits the first n of a selection.
func TestFuel(t *testing.T) {
	p := pair{parse(t, taps.vs), parse(t, taps.ps)}
	for fuel, want := range []int{2, 1, 0} { // additions left for coordinates
		q := partly(t, p, passes.Config{Fuel: &fuel})
		if n := strings.Count(code(q.ps), "add ") - 1; n != want {
			t.Errorf("with fuel %d %d additions are left", fuel, n)
		}
	}
}

// Each motion of a selection has a position, and can be skipped separately.
func TestSkipMotion(t *testing.T) {
	p := pair{parse(t, taps.vs), parse(t, taps.ps)}
	var steps []passes.Step
	partly(t, p, passes.Config{Trace: func(s passes.Step) { steps = append(steps, s) }})
	if len(steps) != 2 {
		t.Fatalf("steps %v", steps)
	}
	for i, s := range steps {
		if s.Number != i+1 || s.Pass != "codemotion" || s.Op != "add" || s.Pos.Line != steps[0].Pos.Line+i {
			t.Errorf("step %d: %v", i+1, s)
		}
		q := partly(t, p, passes.Config{Skip: []passes.StepID{s.StepID}})
		kept := []string{"t0, c0.x", "t0, c0.y"}[i]
		if text := code(q.ps); strings.Count(text, "add ") != 2 || !strings.Contains(text, kept) {
			t.Errorf("without the motion of %q:\n%s", kept, text)
		}
	}
}
