package vsps_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/vsps"
)

// opProgram is code that uses an op: it leaves a value in D, which initially equals C, from the
// inputs A, B and C.
type opProgram struct {
	model, code string
	// indirect means that D is not the op's result, but depends on it.
	indirect bool
}

// opPrograms has a program for every op.
var opPrograms = [ir.NumOps]opProgram{
	ir.OpMov:       {model: "ps_3_0", code: "mov D, A"},
	ir.OpAdd:       {model: "ps_3_0", code: "add D, A, B"},
	ir.OpMul:       {model: "ps_3_0", code: "mul D, A, B"},
	ir.OpMad:       {model: "ps_3_0", code: "mad D, A, B, C"},
	ir.OpDp2Add:    {model: "ps_3_0", code: "dp2add D, A, B, C.x"},
	ir.OpDp3:       {model: "ps_3_0", code: "dp3 D, A, B"},
	ir.OpDp4:       {model: "ps_3_0", code: "dp4 D, A, B"},
	ir.OpMin:       {model: "ps_3_0", code: "min D, A, B"},
	ir.OpMax:       {model: "ps_3_0", code: "max D, A, B"},
	ir.OpSlt:       {model: "vs_2_0", code: "slt D, A, B"},
	ir.OpSge:       {model: "vs_2_0", code: "sge D, A, B"},
	ir.OpCmp:       {model: "ps_3_0", code: "cmp D, A, B, C"},
	ir.OpLrp:       {model: "ps_3_0", code: "lrp D, A, B, C"},
	ir.OpFrc:       {model: "ps_3_0", code: "frc D, A"},
	ir.OpAbs:       {model: "ps_3_0", code: "abs D, A"},
	ir.OpRcp:       {model: "ps_3_0", code: "rcp D, A.x"},
	ir.OpRsq:       {model: "ps_3_0", code: "rsq D, A.x"},
	ir.OpExp:       {model: "ps_3_0", code: "exp D, A.x"},
	ir.OpExpp:      {model: "vs_2_0", code: "expp D, A.x"},
	ir.OpExppVec:   {model: "vs_1_1", code: "expp D, A.x"},
	ir.OpLog:       {model: "ps_3_0", code: "log D, A.x"},
	ir.OpLogp:      {model: "vs_2_0", code: "logp D, A.x"},
	ir.OpLogpVec:   {model: "vs_1_1", code: "logp D, A.x"},
	ir.OpPow:       {model: "ps_3_0", code: "pow D, A.x, B.x"},
	ir.OpNrm:       {model: "ps_3_0", code: "nrm D, A"},
	ir.OpCrs:       {model: "ps_3_0", code: "crs D.xyz, A, B"},
	ir.OpLit:       {model: "vs_2_0", code: "lit D, A"},
	ir.OpDst:       {model: "vs_2_0", code: "dst D, A, B"},
	ir.OpSgn:       {model: "vs_2_0", code: "sgn D, A, r8, r9"},
	ir.OpSinCos:    {model: "ps_3_0", code: "sincos D.xy, A.x"},
	ir.OpDsx:       {model: "ps_3_0", code: "dsx D, A"},
	ir.OpDsy:       {model: "ps_3_0", code: "dsy D, A"},
	ir.OpMova:      {model: "vs_2_0", code: "mova a0.x, A.x; mov D, c10[a0.x]", indirect: true},
	ir.OpMovaFloor: {model: "vs_1_1", code: "mov a0.x, A.x; mov D, c10[a0.x]", indirect: true},
	ir.OpSetp:      {model: "ps_3_0", code: "setp_gt p0, A, B; (p0) mov D, A"},
	ir.OpLoad:      {model: "vs_2_0", code: "mova a0.x, A.x; mov D, c10[a0.x]"},
	ir.OpFetch:     {model: "ps_3_0", code: "texld D, A, s0"},
	ir.OpFetchProj: {model: "ps_3_0", code: "texldp D, A, s0"},
	ir.OpFetchBias: {model: "ps_3_0", code: "texldb D, A, s0"},
	ir.OpFetchLod:  {model: "ps_3_0", code: "texldl D, A, s0"},
	ir.OpFetchGrad: {model: "ps_3_0", code: "texldd D, A, s0, B, C"},
	ir.OpKill:      {model: "ps_3_0", code: "texkill A"},
	ir.OpIf:        {model: "ps_3_0", code: "if_gt A.x, B.x; mov D, A; endif"},
	ir.OpLoop:      {model: "ps_3_0", code: "rep i0; add D, D, A; endrep"},
	ir.OpBreak:     {model: "ps_3_0", code: "rep i0; break_gt D.x, B.x; add D, D, A; endrep"},
}

// noFormula maps the ops without a formula to the reason.
var noFormula = map[ir.Op]string{
	ir.OpSetp:      "the condition of the instruction determines its result",
	ir.OpLoad:      "the read register is known only at run time",
	ir.OpFetch:     "it reads a texture",
	ir.OpFetchProj: "it reads a texture",
	ir.OpFetchBias: "it reads a texture",
	ir.OpFetchLod:  "it reads a texture",
	ir.OpFetchGrad: "it reads a texture",
	ir.OpKill:      "an effect",
	ir.OpIf:        "flow control",
	ir.OpLoop:      "flow control",
	ir.OpBreak:     "flow control",
}

// write returns the program, with the given registers for A, B, C and D.
func (o opProgram) write(t *testing.T, a, b, c, d string) *d3d9.Program {
	t.Helper()
	head, out := "dcl_texcoord0 v0; dcl_texcoord1 v1; dcl_texcoord2 v2; ", "mov oC0, D"
	switch o.model {
	case "ps_3_0":
		head += "dcl_2d s0; defi i0, 3, 0, 0, 0; "
	default:
		out = "mov oPos, C; mov oT0, D"
	}
	src := o.model + "; " + head + "mov A, v0; mov B, v1; mov C, v2; mov D, C; " + o.code + "; " + out + "; "
	src = strings.NewReplacer("A", a, "B", b, "C0", "C0", "C", c, "D", d, "; ", "\n").Replace(src)
	p, err := d3d9.Parse("op", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if diags := d3d9.Validate(p); len(diags) > 0 {
		t.Fatalf("%v\n%s", diags, src)
	}
	return p
}

// TestOpTable checks the name, meaning, spelling and price of every op of the IR that Direct3D 9
// has. It also checks that the op is lifted, that the verifier decides it, and that the interpreter
// computes its formula.
func TestOpTable(t *testing.T) {
	names := map[string]bool{"invalid": true}
	for op := range ir.Op(ir.NumOps) {
		if opPrograms[op].code == "" && !spelt(op) {
			continue
		}
		if names[op.String()] {
			t.Errorf("op %d has no distinct name: %s", op, op)
		}
		names[op.String()] = true
		t.Run(op.String(), func(t *testing.T) {
			if op.HasFormula() == (noFormula[op] != "") {
				t.Errorf("formula: %v; reason for none: %q", op.HasFormula(), noFormula[op])
			}
			o := opPrograms[op]
			if o.code == "" {
				t.Fatal("no program uses it")
			}
			p := o.write(t, "r0", "r1", "r2", "r3")
			checkSpelling(t, op, p)
			checkVerdict(t, op, o, p)
			checkValue(t, op, o, p)
		})
	}
}

// spelt reports whether any model has op.
func spelt(op ir.Op) bool {
	for _, m := range gen.Models {
		if vsps.NewDialect(&d3d9.Program{Model: m}).Supports(op) {
			return true
		}
	}
	return false
}

// checkSpelling lifts p, which must yield the op, emits it again and computes its price.
func checkSpelling(t *testing.T, op ir.Op, p *d3d9.Program) {
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	var in *ir.Instr
	f.Walk(func(x *ir.Instr) {
		if x.Op == op {
			in = x
		}
	})
	if in == nil {
		t.Fatalf("lifting gives no %s:\n%s", op, d3d9.Print(p))
	}
	if _, err := vsps.Emit(p, f); err != nil {
		t.Error(err)
	}
	d := vsps.NewDialect(p)
	if !d.Encodable(in) {
		t.Errorf("%s cannot be written in %s", op, p.Model)
	}
	for _, v := range in.Out {
		if v != nil && op.Has(ir.Special) != (d.FileRole(v.Home.File) == ir.RoleSpecial) {
			t.Errorf("special: %v, but it writes %s", op.Has(ir.Special), d.RegName(v.Home))
		}
	}
	if op.Has(ir.Structured) || op == ir.OpLoad {
		return // several statements or an operand represent it
	}
	if !d.Supports(op) || d.Slots(in) <= 0 {
		t.Errorf("has: %v, slots: %d", d.Supports(op), d.Slots(in))
	}
}

// checkVerdict compares p with itself in other registers, and with its first two sources exchanged,
// which is equal only if the op commutes.
func checkVerdict(t *testing.T, op ir.Op, o opProgram, p *d3d9.Program) {
	judge := func(q *d3d9.Program) verify.Verdict {
		before, after := verify.Pair{Pixel: p}, verify.Pair{Pixel: q}
		if p.Model.Stage == d3d9.Vertex {
			before, after = verify.Pair{Vertex: p}, verify.Pair{Vertex: q}
		}
		return verify.Check(before, after, verify.Options{}).Verdict
	}
	if v := judge(o.write(t, "r4", "r3", "r5", "r1")); v != verify.Proved {
		t.Errorf("in other registers: %s", v)
	}
	if !op.HasFormula() || op.Info().NSrc < 2 {
		return
	}
	exchanged := opProgram{o.model, strings.NewReplacer("A", "B", "B", "A").Replace(o.code), o.indirect}
	if v := judge(exchanged.write(t, "r0", "r1", "r2", "r3")); (v == verify.Proved) != op.Has(ir.Commutes) {
		t.Errorf("with exchanged operands: %s; commutes: %v", v, op.Has(ir.Commutes))
	}
}

// unstated are the ops whose formulas have no float32 value in any lane, because the hardware or
// the neighbours determine it.
var unstated = []ir.Op{ir.OpExpp, ir.OpLogp, ir.OpLogpVec, ir.OpDsx, ir.OpDsy}

// invocations is the number of pairs of special values, rounded up to a multiple of 4.
const invocations = (len(interp.SpecialWords)*len(interp.SpecialWords) + 3) &^ 3

// input returns component c of register A, B or C in an invocation. Every second one is an ordinary
// number, because special values may not fold.
func input(reg, c, at int) float32 {
	w := interp.SpecialValue(at/2, 4*reg+c)
	if at%2 != 0 {
		return float32(int32(w*0x9e3779b9)>>16) / 4096
	}
	return math.Float32frombits(w)
}

// checkValue executes p and compares D with the formula.
func checkValue(t *testing.T, op ir.Op, o opProgram, p *d3d9.Program) {
	s, err := interp.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	result := slices.IndexFunc(s.Outputs(), func(q interp.Port) bool { return q.Reg.File != d3d9.RastOut })
	const n = 2 * invocations
	in := make([]interp.Words, len(s.Inputs()))
	for i, q := range s.Inputs() {
		for c := range in[i] {
			for k := range n {
				in[i][c] = append(in[i][c], input(int(q.Reg.Index), c, k))
			}
		}
	}
	res, err := s.Run(&interp.Env{}, n, in)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for k := range n {
		for lane := 0; lane < 4 && op.HasFormula() && !o.indirect; lane++ {
			if !op.Writes(lane) {
				continue
			}
			stated := ir.Words{Fold: true}
			want := math.Float32frombits(ir.Eval(&stated, op, lane,
				func(src, l int) uint32 { return math.Float32bits(input(src, l, k)) }))
			got := res.Out[result][lane][k]
			if !stated.Fold {
				continue
			}
			compared++
			if ulps(got, want) > 2 {
				var in [12]float32
				for c := range in {
					in[c] = input(c/4, c%4, k)
				}
				t.Fatalf("%v: lane %d is %v, the formula says %v", in, lane, got, want)
			}
		}
	}
	if expected := op.HasFormula() && !o.indirect && !slices.Contains(unstated, op); (compared > 0) != expected {
		t.Errorf("%d lanes were compared with the formula", compared)
	}
}

// ulps returns the number of float32 values between a and b.
func ulps(a, b float32) int64 {
	at := func(x float32) int64 {
		bits := int64(math.Float32bits(x))
		if bits >= 1<<31 {
			return 1<<31 - bits
		}
		return bits
	}
	d := at(a) - at(b)
	return max(d, -d)
}
