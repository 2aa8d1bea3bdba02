package lower

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

const header = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_output_generic o1
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_cb cb0[8]
dcl_literal l0, 0x00000000, 0x3F800000, 0x40000000, 0x40400000
dcl_literal l1, 1, 2, 3, 4
`

func lowered(t *testing.T, target, text string) *mir.Code {
	t.Helper()
	k, err := il.Parse("test.il", []byte(header+text+"\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	to, _ := chip.ByName(target)
	c, err := Kernel(f, to)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Complete(to); err != nil {
		t.Fatalf("%v\n%s", err, codeString(c))
	}
	return c
}

// mnemonics returns the operations of r, one for each unit, with their enclosing constructs.
func mnemonics(r mir.Region) (out []string) {
	nest := func(what string, r mir.Region) {
		out = append(out, what+"{")
		out = append(out, mnemonics(r)...)
		out = append(out, "}")
	}
	for _, it := range r {
		switch it := it.(type) {
		case *mir.ALU:
			out = append(out, it.Slots[0].Op.String())
		case *mir.Fetch:
			out = append(out, it.Op.String())
		case *mir.Memory:
			out = append(out, it.Op.String())
		case *mir.Export:
			out = append(out, "EXPORT")
		case *mir.If:
			nest(it.Cond.Slots[0].Op.String(), it.Then)
			if len(it.Else) > 0 {
				nest("ELSE", it.Else)
			}
		case *mir.Loop:
			nest("LOOP", it.Body)
		case *mir.Break:
			name := "BREAK"
			if it.Cond != nil {
				name += ":" + it.Cond.Slots[0].Op.String()
			}
			out = append(out, name)
		}
	}
	return out
}

func TestLower(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"constants are read in place", "mul o0, cb0[0], cb0[1]", "MUL MUL MUL MUL EXPORT"},
		{"a move takes its sign along", "mov r0, v0_neg(xyzw)\nadd o0, r0, cb0[0]", "ADD ADD ADD ADD EXPORT"},
		{"but not into integers", "mov r0.x, v0.x_neg(xyzw)\niadd o0.x___, r0.x, l1.x", "MOV ADD_INT EXPORT"},
		{"three sources take no absolute value", "mad o0.x___, v0.x_abs, v0.y, v0.z", "MOV MULADD EXPORT"},
		{"inputs are moved into exports", "mov o0.xy__, v0", "MOV MOV EXPORT"},
		{"what is shared is moved once", "add r0.x, v0.x, v0.y\nmov o0.xy__, r0.xx", "ADD MOV EXPORT"},
		{"lanes that nothing reads go", "add r0, v0, v0\nadd r1, r0, v0\nmov o0.x___, r1.x", "ADD ADD EXPORT"},
		{"the same is done once", "add r0.x, v0.x, v0.y\nadd r0.y, v0.x, v0.y\nmul o0.x___, r0.x, r0.y", "ADD MUL EXPORT"},
		{"literals fold", "mov r0, l0\nadd r0.x, r0.y, r0.z\nmul o0.x___, r0.x, v0.x", "MUL EXPORT"},
		{"a dot product writes any channel", "dp3 o0, v0, v0", "DOT4 EXPORT"},
		{"a reciprocal writes one", "rcp r0.xy, v0.x\nmov o0.xy__, r0.xy", "RECIP_CLAMPED MOV EXPORT"},
		{"the last operation clamps", "mul_sat o0.x___, v0.x, v0.y", "MUL EXPORT"},
		{"a move clamps where none can", "mov_sat o0.x___, v0.x", "MOV EXPORT"},
		{"fetched values are moved into exports", "sample_resource(0)_sampler(0) o0, vWinCoord0.xy",
			"SAMPLE MOV MOV MOV MOV EXPORT"},
		{"exports next to each other are one", "add o0.x___, v0.x, v0.y\nadd o1.x___, v0.x, v0.z", "ADD ADD EXPORT"},
		{"coordinates of two registers meet", "add r0.x, v0.x, v0.y\nsample_resource(0)_sampler(0) r1, r0.xx\n" +
			"add r2.x, vWinCoord0.x, v0.x\nmov r2.y, v0.z\nsample_resource(0)_sampler(0) r3, r2.xy\nadd o0.x___, r1.x, r3.x",
			"ADD SAMPLE ADD SAMPLE ADD EXPORT"},
		{"constants are moved into coordinates, but for 0 and 1",
			"sample_resource(0)_sampler(0) r0, cb0[0].x0\nadd o0.x___, r0.x, v0.x",
			"MOV SAMPLE ADD EXPORT"},
		{"a branch without else", "mov r0.x, v0.x\nif_logicalnz v0.y\nadd r0.x, r0.x, v0.z\nendif\nmul o0.x___, r0.x, v0.w",
			"MOV PRED_SETNE_INT{ ADD } MUL EXPORT"},
		{"a branch that does nothing goes", "mov r0.x, v0.x\nif_logicalnz v0.y\nadd r0.y, r0.x, v0.z\nendif\nmul o0.x___, r0.x, v0.w", "MUL EXPORT"},
		{"a loop carries its values", "mov r0.x, l0.x\nmov r1.x, l0.x\nwhileloop\nge r2.x, r0.x, cb0[0].x\nbreak_logicalnz r2.x\n" +
			"add r1.x, r1.x, v0.x\nadd r0.x, r0.x, l0.y\nendloop\nmov o0.x___, r1.x",
			"MOV MOV LOOP{ SETGE_DX10 BREAK:PRED_SETE_INT ADD ADD } MOV EXPORT"},
		{"what changes places in a loop needs a third",
			"mov r0.xy, v0.xy\nmov r1.x, l0.x\nwhileloop\nge r2.x, r1.x, cb0[0].x\n" +
				"break_logicalnz r2.x\nmov r0.xy, r0.yx\nadd r1.x, r1.x, l0.y\nendloop\nmul o0.x___, r0.x, v0.w",
			"MOV LOOP{ SETGE_DX10 BREAK:PRED_SETE_INT ADD MOV MOV MOV } MUL EXPORT"},
		{"discarding", "lt r0.x, v0.x, l0.x\ndiscard_logicalnz r0.x\nmov o0.x___, l0.y", "SETGT_DX10 KILLNE_INT MOV EXPORT"},
		{"writes to memory", "mov g[3], v0", "MEM_EXPORT_WRITE"},
		{"an indexed constant is read in place", "ftoi r0.x, v0.x\nadd o0.x___, cb0[r0.x+1].x, v0.y",
			"TRUNC FLT_TO_INT ADD EXPORT"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := lowered(t, "rv770", test.text)
			if got := strings.Join(mnemonics(c.Body), " "); got != test.want {
				t.Errorf("%s\nwant %s\n%s", got, test.want, codeString(c))
			}
		})
	}
}

// TestLowerFamilies checks the sequences that depend on the family.
func TestLowerFamilies(t *testing.T) {
	for _, test := range []struct{ text, rv670, rv770, cypress string }{
		{"sin o0.x___, v0.x", "MULADD FRACT MULADD SIN EXPORT", "MULADD FRACT ADD SIN EXPORT", "MULADD FRACT ADD SIN EXPORT"},
		{"icbits r0.x, v0.x\nmov o0.x___, r0.x",
			"LSHR_INT AND_INT SUB_INT LSHR_INT AND_INT AND_INT ADD_INT LSHR_INT ADD_INT AND_INT MULLO_UINT LSHR_INT EXPORT",
			"LSHR_INT AND_INT SUB_INT LSHR_INT AND_INT AND_INT ADD_INT LSHR_INT ADD_INT AND_INT MULLO_UINT LSHR_INT EXPORT", "BCNT_INT EXPORT"},
		{"dmad r0.xy, v0.xy, v0.zw, v0.xy\nmov o0.xy__, r0.xy", "MULADD_64 EXPORT", "MULADD_64 EXPORT", "FMA_64 EXPORT"},
		{"fma o0.x___, v0.x, v0.y, v0.z", "MULADD_IEEE EXPORT", "MULADD_IEEE EXPORT", "FMA EXPORT"},
	} {
		for target, want := range map[string]string{"rv670": test.rv670, "rv770": test.rv770, "cypress": test.cypress} {
			if got := strings.Join(mnemonics(lowered(t, target, test.text).Body), " "); got != want {
				t.Errorf("%s for %s:\n%s, not\n%s", test.text, target, got, want)
			}
		}
	}
}

// TestLowerPadding checks that unused lanes of a short dot product have the operands -0 and 0.
func TestLowerPadding(t *testing.T) {
	c := lowered(t, "rv670", "dp3 o0, v0, cb0[0]")
	u := c.Body[0].(*mir.ALU)
	if u.Slots[0].Op != r600.OpDot4 || u.Slots[3].Args[0] != mir.L(1<<31) || u.Slots[3].Args[1] != mir.L(0) {
		t.Errorf("%+v", u)
	}
	for i := range u.Slots {
		if u.Slots[i].Dst == 0 {
			t.Errorf("slot %d of a dot product whose result goes everywhere writes nothing", i)
		}
	}
}

// TestLowerRefusals checks that an unsupported feature is a diagnostic with a position.
func TestLowerRefusals(t *testing.T) {
	k, err := il.Parse("test.il", []byte("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_lds_id(1) 64\ndcl_literal l0, 0, 0, 0, 0\nlds_store_id(1) l0.x, l0.x\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	for name, fits := range map[string]bool{"rv670": false, "rv770": true, "cypress": true} {
		target, _ := chip.ByName(name)
		_, err := Kernel(f, target)
		if (err == nil) != fits {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "test.il:5:1: ") {
			t.Errorf("%s: no place: %v", name, err)
		}
	}
}

// TestLowerAtomicLane checks that an atomic operation takes its operand from the lowest lane that
// the statement writes.
func TestLowerAtomicLane(t *testing.T) {
	c := lowered(t, "cypress", "dcl_raw_uav_id(1)\nuav_read_cmp_xchg_id(1) r0.y, l1.x, l1.xyzw, l1.z\nmov o0, r0.y")
	for _, item := range c.Body {
		if m, ok := item.(*mir.Memory); ok && m.Name == "CMPXCHG_INT_RTN" {
			if m.Data[0] == 0 || m.Data[1] == 0 || m.Data[0] == m.Data[1] {
				t.Errorf("the data are %v", m.Data)
			}
			return
		}
	}
	t.Error("no atomic operation")
}

// TestEmptySide checks that it does not matter which side of a branch is empty.
func TestEmptySide(t *testing.T) {
	const other = "if_logicalz v0.x\nmul r0, v0, v0\nendif\nmov o0, r0"
	const empty = "if_logicalnz v0.x\nelse\nmul r0, v0, v0\nendif\nmov o0, r0"
	want, got := codeString(lowered(t, "rv670", "mov r0, cb0[0]\n"+other)), codeString(lowered(t, "rv670",
		"mov r0, cb0[0]\n"+empty))
	if !strings.Contains(want, "if") || got != want {
		t.Errorf("one way it is\n%s\nthe other\n%s", want, got)
	}
}
