package opt

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"golang.org/x/tools/txtar"
)

const doubled = "ps_2_0\ndef c1, 1, 0, 0, 0\ndcl t0\nadd r0, t0, t0\nadd r1, r0, c1.x\nmov oC0, r1\n"

// optimizeBy optimizes a program with a pass of the test.
func optimizeBy(t *testing.T, src string, class passes.Class, run func(*passes.Ctx, *passes.Unit) error) (*Result,
	error) {
	t.Helper()
	in := Input{Files: []File{{Name: "doubled.psh", Data: []byte(src)}}}
	z := &optimizer{in: in, res: newResult(in)}
	if err := z.prepare(); err != nil {
		t.Fatal(err)
	}
	z.pipeline = passes.Pipeline{{Pass: &passes.Pass{Name: "test", Class: class, Run: run}}}
	if err := z.run(); err != nil {
		return z.res.failWith(err)
	}
	return z.res, nil
}

// skipSum makes readers of the second sum read the first.
func skipSum(c *passes.Ctx, u *passes.Unit) error {
	var sums []*ir.Instr
	u.Pixel.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpAdd {
			sums = append(sums, in)
		}
	})
	if !c.ShouldRewrite(sums[1], "out", "left out") {
		return nil
	}
	m := map[*ir.Value]ir.Lane{}
	for i, v := range sums[1].Out {
		m[v] = ir.Lane{V: sums[0].Out[i]}
	}
	u.Pixel.Replace(m)
	u.Pixel.Body.Code = slices.DeleteFunc(u.Pixel.Body.Code, func(in *ir.Instr) bool { return in == sums[1] })
	return nil
}

// TestRefused checks that a pass that makes a program cheaper but wrong has no effect: the input comes
// back, with a reproducer that names the rewrite.
func TestRefused(t *testing.T) {
	res, err := optimizeBy(t, doubled, passes.Terms, skipSum)
	if err != nil || res.Status != Unchanged || string(res.Files[0].Data) != doubled || res.Verdict() != verify.Proved ||
		res.Error != "" {
		t.Errorf("%+v, %v", res, err)
	}
	if len(res.Faults) != 1 || res.Faults[0].Step == nil || res.Faults[0].Step.Number != 1 ||
		res.Faults[0].Step.Pos.Line != 5 {
		t.Fatalf("faults %v", res.Faults)
	}
	if text := res.Faults[0].Error(); !strings.Contains(text, "refuted") ||
		!strings.Contains(text, "step 1, stage 1 (test), doubled.psh:5:1: add left out") {
		t.Errorf("it says %s", text)
	}
}

// sums adds zero, one and zero.
const sums = "ps_2_0\ndef c1, 1, 0, 0, 0\ndcl t0\nadd r0, t0, c1.y\nadd r1, r0, c1.x\nadd r2, r1, c1.y\nmov oC0, r2\n"

// skipSums makes readers of every sum read its first operand.
func skipSums(c *passes.Ctx, u *passes.Unit) error {
	var kept []*ir.Instr
	for _, in := range u.Pixel.Body.Code {
		if in.Op != ir.OpAdd || !c.ShouldRewrite(in, "out", "left out") {
			kept = append(kept, in)
			continue
		}
		m := map[*ir.Value]ir.Lane{}
		for i, v := range in.Out {
			m[v] = in.Src[0][i]
		}
		u.Pixel.Replace(m)
	}
	u.Pixel.Body.Code = kept
	return nil
}

// TestRefusedStep checks that only the refuted rewrite of a stage is left out.
func TestRefusedStep(t *testing.T) {
	res, err := optimizeBy(t, sums, passes.Terms, skipSums)
	if err != nil || res.Status != Improved || res.Verdict() != verify.ProvedReal {
		t.Fatalf("%s, %s, %v", res.Status, res.Verdict(), err)
	}
	if text := string(res.Files[0].Data); strings.Count(text, "add ") != 1 || !strings.Contains(text, "add r1, t0, c1.x") {
		t.Errorf("it became\n%s", text)
	}
	if len(res.Faults) != 1 || res.Faults[0].Step.Pos.Line != 5 {
		t.Errorf("faults %v", res.Faults)
	}
	if !slices.ContainsFunc(res.Remarks, func(r Remark) bool { return r.Code == "unverified" && r.Line == 5 }) {
		t.Errorf("remarks %v", res.Remarks)
	}
}

// TestRequire checks that results reach the required verdict: rewrites that lower it are left out,
// others are kept.
func TestRequire(t *testing.T) {
	// The last sum is combined only over the reals; the earlier code gets shorter under any numerics.
	const src = "ps_2_0\ndcl t0\nmul r0, t0, t0\nmul r1, t0, t0\nadd r0, r0, r1\nmul r2, t0.x, t0.y\nadd r0, r0, r2\nmov oC0, r0\n"
	slots := map[verify.Verdict]int{}
	for _, require := range []verify.Verdict{0, verify.Tested, verify.Bounded, verify.ProvedReal, verify.Proved} {
		o := Options{Require: require}
		least, err := o.least()
		if err != nil {
			t.Fatal(err)
		}
		res, err := Optimize(t.Context(), Input{Files: []File{{Name: "a.psh", Data: []byte(src)}}}, o)
		if err != nil || res.Status != Improved || len(res.Faults) > 0 {
			t.Fatalf("%s: %s, %v, %v", require, res.Status, res.Faults, err)
		}
		if res.Verdict() < least {
			t.Errorf("%s: the result is %s", require, res.Verdict())
		}
		slots[require] = res.Stages[0].CurrentCost().Slots
	}
	if slots[0] != slots[verify.Bounded] || slots[verify.Proved] <= slots[verify.Bounded] || slots[verify.Proved] >= 6 {
		t.Errorf("slots %v", slots)
	}
	for _, wrong := range []verify.Verdict{verify.Refuted, verify.Proved + 1} {
		if err := (Options{Require: wrong}).Check(); err == nil || !strings.Contains(err.Error(), "unknown-verdict") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// TestUnverified checks that a version that can be neither proved nor refuted is not written: here, the
// difference is too small to see.
func TestUnverified(t *testing.T) {
	src := strings.Replace(doubled, "c1, 1", "c1, 0.0000001", 1)
	res, err := optimizeBy(t, src, passes.Real, skipSum)
	if err != nil || res.Status != Unchanged || string(res.Files[0].Data) != src || res.Verdict() != verify.Proved {
		t.Fatalf("%v %v, %v", res.Status, res.Verdict(), err)
	}
	if !slices.ContainsFunc(res.Remarks, func(r Remark) bool { return r.Code == "verify" }) {
		t.Errorf("remarks %v do not say why", res.Remarks)
	}
}

// TestPanickingPass checks that a panicking pass is undone and the input survives.
func TestPanickingPass(t *testing.T) {
	res, err := optimizeBy(t, doubled, passes.Terms, func(*passes.Ctx, *passes.Unit) error { panic("out of cheese") })
	if err != nil || res.Status != Unchanged || string(res.Files[0].Data) != doubled {
		t.Fatalf("%v, %v", res.Status, err)
	}
	if len(res.Faults) != 1 || !strings.Contains(res.Faults[0].Error(), "out of cheese") || len(res.Faults[0].Stack) == 0 {
		t.Errorf("faults %v", res.Faults)
	}
}

// TestRecovered checks that a panic elsewhere becomes an error.
func TestRecovered(t *testing.T) {
	in := Input{Files: []File{{Name: "doubled.psh", Data: []byte(doubled)}}}
	res, err := func() (res *Result, err error) {
		defer recovered(&Fault{Task: TaskOptimize, Input: in}, &res, &err)
		panic("melon")
	}()
	var fault *Fault
	if !errors.As(err, &fault) || res.Status != Failed || len(res.Faults) != 1 {
		t.Errorf("%v, %v", res, err)
	}
}

// TestReproducer checks that a reproducer describes the fault for readers, and holds programs as text
// if the text gives the same program.
func TestReproducer(t *testing.T) {
	code, err := input.Assemble(File{Name: "doubled.psh", Data: []byte(doubled)})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data []byte
		text string
	}{
		{[]byte(doubled), doubled},
		{code, "ps_2_0"},
		{code[:len(code)-2], ""},
		{[]byte("ps_2_0\n-- b --\n"), ""},
	} {
		f := &Fault{Input: Input{Files: []File{{Name: "dir/a.psh", Data: test.data}}}, Options: Options{Pipeline: "O1"},
			Err: errors.New("it\nbroke"), Stack: []byte("main.go:1\nmain.go:2\n")}
		a := txtar.Parse(f.Reproducer())
		if len(a.Files) != 2 || a.Files[0].Name != "settings.json" || a.Files[1].Name != "a.psh" ||
			!strings.HasPrefix(string(a.Files[1].Data), test.text) {
			t.Fatalf("files %v", a.Files)
		}
		for _, want := range []string{"error: it; broke\n", "pipeline: dce,gvn{mixed=true}", "\n  main.go:1\n"} {
			if !strings.Contains(string(a.Comment), want) {
				t.Errorf("no %q in\n%s", want, a.Comment)
			}
		}
	}
}
