package machine

import (
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
)

func TestTie(t *testing.T) {
	c := NewCode("ties")
	var v [6]Val
	for i := range v {
		v[i] = c.NewVal()
	}
	x1, x2 := c.NewValAt(0), c.NewValAt(0)
	in0, in1 := c.Input(0, 1), c.Input(1, 1)
	for _, tt := range []struct {
		name string
		vals []Val
		ok   bool
	}{
		{"two", v[:2], true},
		{"two more through one of them", v[1:4], true},
		{"a fifth", []Val{v[0], v[4]}, false},
		{"one channel twice", []Val{x1, x2}, false},
		{"inputs of two registers", []Val{in0, in1}, false},
		{"zeros and repeats", []Val{0, x1, 0, x1}, true},
	} {
		if got := c.Tie(tt.vals...); got != tt.ok {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if got := c.Tied(v[3]); len(got) != 4 || !slices.Contains(got, v[0]) {
		t.Errorf("tied to the fourth: %v", got)
	}
	if c.TieExport([4]Val{v[4], v[4]}) {
		t.Error("one value exported in two channels")
	}
	if c.TieExport([4]Val{0, x1}) {
		t.Error("a value of x exported as y")
	}
	if !c.TieExport([4]Val{v[4], v[5]}) || c.Chan(v[5]) != 1 {
		t.Error("two values exported")
	}
}

func TestCheck(t *testing.T) {
	target, _ := ByName("rv670")
	dot := &ALU{Slots: []Slot{{Op: r600.OpDot4}}}
	for _, tt := range []struct {
		want  string
		build func(c *Code, v Val) Item
	}{
		{"FMA does not exist", func(c *Code, v Val) Item { return single(r600.OpFma, c.NewVal(), V(v), V(v), V(v)) }},
		{"DOT4 in 1 slots takes 4", func(c *Code, v Val) Item { return dot }},
		{"outside a condition", func(c *Code, v Val) Item { return single(r600.OpPredSetE, 0, V(v), V(v)) }},
		{"outside a loop", func(c *Code, v Val) Item { return &Break{} }},
		{"lacks an operand", func(c *Code, v Val) Item { return single(r600.OpAdd, c.NewVal(), V(v)) }},
		{"no absolute values", func(c *Code, v Val) Item {
			return single(r600.OpMulAdd, c.NewVal(), V(v), V(v), Arg{Kind: ValArg, Val: v, Abs: true})
		}},
		{"share no register", func(c *Code, v Val) Item {
			return &Export{Regs: [][4]Val{{0, v}}} // the input is in x
		}},
	} {
		c := NewCode("bad")
		v := c.Input(0, 0)
		c.Body = Region{tt.build(c, v)}
		if _, err := Schedule(c, target, Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// TestControlFlow checks the instructions that structured code becomes.
func TestControlFlow(t *testing.T) {
	target, _ := ByName("rv670")
	c := NewCode("flow")
	x := c.Input(0, 0)
	y := c.NewVal()
	cond := func() *ALU { return single(r600.OpPredSetGT, 0, V(x), L(0)) }
	c.Body = Region{
		single(r600.OpMov, y, L(0)),
		&Loop{Body: Region{
			&Break{Cond: cond()},
			&If{
				Cond: cond(),
				Then: Region{single(r600.OpAdd, y, V(y), V(x))},
				Else: Region{single(r600.OpAdd, y, V(y), L(0x3F800000))},
			},
			single(r600.OpAdd, x, V(x), L(0xBF800000)),
		}},
		&Export{Regs: [][4]Val{{y}}},
	}
	s, err := Schedule(c, target, Options{})
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

// TestForwarding wants a chain of dependent operations to live in PV alone, but for its
// end, and a value of two later groups in a temporary of the clause.
func TestForwarding(t *testing.T) {
	target, _ := ByName("rv670")
	c := NewCode("chain")
	v := c.Input(0, 0)
	first := v
	for i := range 6 {
		w := c.NewVal()
		c.Body = append(c.Body, single(r600.OpAdd, w, V(v), V(v)))
		if i == 1 {
			first = w
		}
		v = w
	}
	out := c.NewVal()
	c.Body = append(c.Body, single(r600.OpAdd, out, V(v), V(first)), &Export{Regs: [][4]Val{{out}}})
	s, err := Schedule(c, target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, s)
	if s.Stats.GPRs != 2 || s.Stats.TempRegs != 1 || s.Stats.Temps != 1 || s.Stats.Groups != 7 {
		t.Errorf("%+v", s.Stats)
	}
}
