package shaderlift

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"golang.org/x/tools/txtar"
)

const doubled = "ps_2_0\ndef c1, 1, 0, 0, 0\ndcl t0\nadd r0, t0, t0\nadd r1, r0, c1.x\nmov oC0, r1\n"

// optimizeBy is Optimize of a program with a pass of the test's.
func optimizeBy(t *testing.T, src string, class passes.Class, run func(*passes.Ctx, *passes.Unit) error) (*Result, error) {
	t.Helper()
	in := Input{Files: []File{{"doubled.psh", []byte(src)}}}
	z := &optimizer{in: in, res: newResult(in)}
	if err := z.prepare(); err != nil {
		t.Fatal(err)
	}
	z.pipeline = passes.Pipeline{{Pass: &passes.Pass{Name: "test", Class: class, Run: run}}}
	if err := z.run(); err != nil {
		return z.res.fail(err)
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
	if !c.Step(sums[1], "left out") {
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

// A pass that makes the program cheaper and wrong gets nothing written, and leaves a
// reproducer.
func TestRefused(t *testing.T) {
	res, err := optimizeBy(t, doubled, passes.Terms, skipSum)
	if !errors.Is(err, ErrRefused) {
		t.Fatalf("a wrong program went through: %v, %s", err, res.Verdict)
	}
	if res.Status != Failed || res.Files != nil || res.Verdict != "refuted" || res.Stages[0].After != nil {
		t.Errorf("result %+v", res)
	}
	if len(res.Faults) != 1 {
		t.Errorf("%d faults, want one", len(res.Faults))
	}
}

// What can be neither proved nor refuted is not written: here, a difference that is
// too small to see.
func TestUnverified(t *testing.T) {
	src := strings.Replace(doubled, "c1, 1", "c1, 0.0000001", 1)
	res, err := optimizeBy(t, src, passes.Real, skipSum)
	if err != nil || res.Status != Unchanged || string(res.Files[0].Data) != src || res.Verdict != "proved" {
		t.Fatalf("%v %v, %v", res.Status, res.Verdict, err)
	}
	if !slices.ContainsFunc(res.Remarks, func(r Remark) bool { return r.Code == "verify" }) {
		t.Errorf("remarks %v do not say why", res.Remarks)
	}
}

// A pass that panics is taken back; the input survives it.
func TestPanickingPass(t *testing.T) {
	res, err := optimizeBy(t, doubled, passes.Terms, func(*passes.Ctx, *passes.Unit) error { panic("out of cheese") })
	if err != nil || res.Status != Unchanged || string(res.Files[0].Data) != doubled {
		t.Fatalf("%v, %v", res.Status, err)
	}
	if len(res.Faults) != 1 || !strings.Contains(res.Faults[0].Error(), "out of cheese") || len(res.Faults[0].Stack) == 0 {
		t.Errorf("faults %v", res.Faults)
	}
}

// A panic anywhere else becomes an error too.
func TestRecovered(t *testing.T) {
	in := Input{Files: []File{{"doubled.psh", []byte(doubled)}}}
	res, err := func() (res *Result, err error) {
		defer recovered(in, Options{}, &res, &err)
		panic("melon")
	}()
	var fault *Fault
	if !errors.As(err, &fault) || res.Status != Failed || len(res.Faults) != 1 {
		t.Errorf("%v, %v", res, err)
	}
}

// A reproducer has the options and the programs, in a form that reads as the same
// program whatever they were.
func TestReproducer(t *testing.T) {
	code, err := Assemble(File{"doubled.psh", []byte(doubled)})
	if err != nil {
		t.Fatal(err)
	}
	fuel := 7
	for _, test := range []struct {
		data []byte
		name string
	}{
		{[]byte(doubled), "a.psh"},
		{code, "a.psh"},
		{code[:len(code)-2], "a.psh.base64"},
		{[]byte("ps_2_0\n-- b --\n"), "a.psh.base64"},
	} {
		f := &Fault{Input: Input{Files: []File{{"dir/a.psh", test.data}}}, Options: Options{Pipeline: "fold,dce", Fuel: &fuel, HostMirrored: true},
			Err: errors.New("it\nbroke"), Stack: []byte("main.go:1\nmain.go:2\n")}
		a := txtar.Parse(f.Reproducer())
		if len(a.Files) != 1 || a.Files[0].Name != test.name {
			t.Fatalf("files %v", a.Files)
		}
		const command = "shaderlift opt -p 'fold,dce' --numerics real --host-constants mirrored --fuel 7 "
		if !strings.Contains(string(a.Comment), command+test.name+"\n") || !strings.Contains(string(a.Comment), "error: it; broke\n") {
			t.Errorf("comment:\n%s", a.Comment)
		}
		if test.name != "a.psh" {
			continue
		}
		if got, err := Assemble(File{"a.psh", a.Files[0].Data}); err != nil || !bytes.Equal(got, code) {
			t.Errorf("the program in the reproducer is another one: %v", err)
		}
	}
}
