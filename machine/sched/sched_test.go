package sched

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

func TestCheck(t *testing.T) {
	target, _ := chip.ByName("rv670")
	dot := &mir.ALU{Slots: []mir.Slot{{Op: r600.OpDot4}}}
	for _, tt := range []struct {
		want  string
		build func(c *mir.Code, v mir.Val) mir.Item
	}{
		{"FMA does not exist", func(c *mir.Code, v mir.Val) mir.Item {
			return single(r600.OpFma, c.NewVal(), mir.V(v), mir.V(v), mir.V(v))
		}},
		{"DOT4 in 1 slots takes 4", func(c *mir.Code, v mir.Val) mir.Item { return dot }},
		{"outside a condition", func(c *mir.Code,
			v mir.Val) mir.Item {
			return single(r600.OpPredSetE, 0, mir.V(v), mir.V(v))
		}},
		{"outside a loop", func(c *mir.Code, v mir.Val) mir.Item { return &mir.Break{} }},
		{"lacks an operand", func(c *mir.Code, v mir.Val) mir.Item { return single(r600.OpAdd, c.NewVal(), mir.V(v)) }},
		{"no absolute values", func(c *mir.Code, v mir.Val) mir.Item {
			return single(r600.OpMulAdd, c.NewVal(), mir.V(v), mir.V(v), mir.Arg{Kind: mir.ValArg, Val: v, Abs: true})
		}},
		{"share no register", func(c *mir.Code, v mir.Val) mir.Item {
			return &mir.Export{Regs: [][4]mir.Val{{0, v}}} // the input is in x
		}},
	} {
		c := mir.NewCode("bad")
		v := c.Input(0, 0)
		c.Body = mir.Region{tt.build(c, v)}
		if _, err := Schedule(c, target, Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// TestControlFlow checks the instructions of structured code.
func TestControlFlow(t *testing.T) {
	target, _ := chip.ByName("rv670")
	c := mir.NewCode("flow")
	x := c.Input(0, 0)
	y := c.NewVal()
	cond := func() *mir.ALU { return single(r600.OpPredSetGT, 0, mir.V(x), mir.L(0)) }
	c.Body = mir.Region{
		single(r600.OpMov, y, mir.L(0)),
		&mir.Loop{Body: mir.Region{
			&mir.Break{Cond: cond()},
			&mir.If{
				Cond: cond(),
				Then: mir.Region{single(r600.OpAdd, y, mir.V(y), mir.V(x))},
				Else: mir.Region{single(r600.OpAdd, y, mir.V(y), mir.L(0x3F800000))},
			},
			single(r600.OpAdd, x, mir.V(x), mir.L(0xBF800000)),
		}},
		&mir.Export{Regs: [][4]mir.Val{{y}}},
	}
	s, err := newSchedule(c, target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, s)
	var got []string
	for i := range s.Program.CF {
		got = append(got, s.Program.CF[i].Op.String())
	}
	want := "ALU LOOP_DX10 ALU_BREAK ALU_PUSH_BEFORE JUMP ALU ELSE ALU_POP_AFTER ALU ENDLOOP EXP_DONE END_OF_PROGRAM"
	if strings.Join(got, " ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestForwarding checks that a chain of dependent operations lives in PV alone, except for its end,
// and that a value of two later groups lives in a clause temporary.
func TestForwarding(t *testing.T) {
	target, _ := chip.ByName("rv670")
	c := mir.NewCode("chain")
	v := c.Input(0, 0)
	first := v
	for i := range 6 {
		w := c.NewVal()
		c.Body = append(c.Body, single(r600.OpAdd, w, mir.V(v), mir.V(v)))
		if i == 1 {
			first = w
		}
		v = w
	}
	out := c.NewVal()
	c.Body = append(c.Body, single(r600.OpAdd, out, mir.V(v), mir.V(first)), &mir.Export{Regs: [][4]mir.Val{{out}}})
	s, err := newSchedule(c, target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, s)
	if s.Stats.GPRs != 2 || s.Stats.TempRegs != 1 || s.Stats.temps != 1 || s.Stats.Groups != 7 {
		t.Errorf("%+v", s.Stats)
	}
}
