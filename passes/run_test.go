package passes_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

const program = `ps_3_0
dcl_color v0
add r0, v0, c0
add r0, r0, v0
add r0, r0, v0
mov oC0, r0
`

func lift(t testing.TB, src string) *passes.Unit {
	return &passes.Unit{Name: "test", Pixel: passtest.Lift(t, src)}
}

// replaceAdds turns every addition for which Step agrees into op.
func replaceAdds(op ir.Op) func(*passes.Ctx, *passes.Unit) error {
	return func(c *passes.Ctx, u *passes.Unit) error {
		u.Pixel.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpAdd && c.ShouldRewrite(in, "changed", "changed") {
				in.Op = op
			}
		})
		return nil
	}
}

func count(u *passes.Unit, op ir.Op) (n int) {
	u.Pixel.Walk(func(in *ir.Instr) {
		if in.Op == op {
			n++
		}
	})
	return n
}

var (
	toMul = &passes.Pass{Name: "to-mul", Run: replaceAdds(ir.OpMul)}
	toMin = &passes.Pass{Name: "to-min", Class: passes.Real, Run: replaceAdds(ir.OpMin)}
	crash = &passes.Pass{Name: "crash", Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, in := range u.Pixel.Body.Code {
			if in.Op == ir.OpAdd && c.ShouldRewrite(in, "changed", "changed") {
				in.Op = ir.OpMax
			}
		}
		panic("on purpose")
	}}
	breaks = &passes.Pass{Name: "breaks", Run: func(c *passes.Ctx, u *passes.Unit) error {
		c.ShouldRewrite(nil, "broken", "broken")
		u.Pixel.Body.Code = u.Pixel.Body.Code[1:] // uses of undefined values
		return nil
	}}
	secret = &passes.Pass{Name: "secret", Run: func(_ *passes.Ctx, u *passes.Unit) error {
		u.Pixel.Body.Code[0].Op = ir.OpMul
		return nil
	}}
	gives = &passes.Pass{Name: "gives-up", Run: func(c *passes.Ctx, u *passes.Unit) error {
		replaceAdds(ir.OpMul)(c, u)
		return errors.New("not today")
	}}
)

func pipeline(ps ...*passes.Pass) (p passes.Pipeline) {
	for _, pass := range ps {
		p = append(p, passes.Stage{Pass: pass})
	}
	return p
}

// A faulty pass is reverted and reported with everything needed to repeat it. The passes after it run.
func TestFaults(t *testing.T) {
	refused := errors.New("refused")
	tests := []struct {
		pass  *passes.Pass
		steps int
		cause string
	}{
		{crash, 3, "on purpose"},
		{breaks, 1, "before or outside its definition"},
		{secret, 0, "without a recorded rewrite"},
		{toMin, 3, "refused"},
	}
	for _, test := range tests {
		t.Run(test.pass.Name, func(t *testing.T) {
			u := lift(t, program)
			cfg := passes.Config{Numerics: passes.Real, Verify: func(_, after *passes.Unit) error {
				if count(after, ir.OpMin) > 0 {
					return refused
				}
				return nil
			}}
			report, err := passes.Run(u, pipeline(test.pass, toMul), cfg)
			var fault *passes.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("error %v is no fault", err)
			}
			if fault.Pass != test.pass.Name || fault.Steps != test.steps || fault.Stage != 0 || fault.Unit != "test" ||
				fault.Pipeline != test.pass.Name+",to-mul" {
				t.Errorf("fault %+v", fault)
			}
			if !strings.Contains(fault.Error(), test.cause) {
				t.Errorf("%q does not mention %q", fault, test.cause)
			}
			if (len(fault.Stack) > 0) != (test.pass == crash) {
				t.Errorf("stack of %d bytes", len(fault.Stack))
			}
			if report.Stats[0].Outcome != passes.Reverted || report.Stats[1].Outcome != passes.Changed {
				t.Errorf("stats %+v", report.Stats)
			}
			if n := count(u, ir.OpMul); n != 3 {
				t.Errorf("%d multiplications, want all 3 made by the pass that is sound", n)
			}
			if err := u.Pixel.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A stage that does not pay, or gives up, is reverted with a remark; that is not a fault.
func TestReverted(t *testing.T) {
	dear := func(u *passes.Unit) (passes.Cost, error) {
		if count(u, ir.OpMin) > 0 {
			return passes.Cost{}, errors.New("there is no room")
		}
		return passes.Cost{1 + count(u, ir.OpMul)}, nil
	}
	for _, test := range []struct {
		pass *passes.Pass
		want string
	}{
		{toMul, "the result costs more"},
		{toMin, "there is no room"},
		{gives, "not today"},
	} {
		u := lift(t, program)
		report, err := passes.Run(u, pipeline(test.pass), passes.Config{Numerics: passes.Real, Measure: dear})
		if err != nil {
			t.Fatal(err)
		}
		if report.Stats[0].Outcome != passes.Reverted || count(u, ir.OpAdd) != 3 {
			t.Errorf("%s: %+v", test.pass.Name, report.Stats)
		}
		if len(report.Remarks) != 1 || report.Remarks[0].Code != "reverted" ||
			!strings.Contains(report.Remarks[0].Msg, test.want) {
			t.Errorf("%s: remarks %+v, want %q", test.pass.Name, report.Remarks, test.want)
		}
		if report.After != report.Before {
			t.Errorf("%s: %v -> %v", test.pass.Name, report.Before, report.After)
		}
		// With Keep, the manager keeps costlier results, but not results without a price.
		u = lift(t, program)
		report, err = passes.Run(u, pipeline(test.pass), passes.Config{Numerics: passes.Real, Measure: dear, Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		if kept := report.Stats[0].Outcome == passes.Changed; kept != (test.pass == toMul) ||
			kept != report.Before.Less(report.After) {
			t.Errorf("%s, to be kept: %+v, %v -> %v", test.pass.Name, report.Stats, report.Before, report.After)
		}
	}
}

// over returns a budget whose time is up.
func over() *budget.Budget {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return budget.New(ctx, budget.Unlimited, budget.Unlimited)
}

func TestSkipped(t *testing.T) {
	for _, test := range []struct {
		cfg  passes.Config
		code string
	}{
		{passes.Config{Numerics: passes.Bits}, "numerics"},
		{passes.Config{Numerics: passes.Real, Budget: over()}, "time-limit"},
	} {
		u := lift(t, program)
		report, err := passes.Run(u, pipeline(toMin), test.cfg)
		if err != nil || report.Stats[0].Outcome != passes.Skipped || string(report.Remarks[0].Code) != test.code ||
			count(u, ir.OpAdd) != 3 {
			t.Errorf("%s: %v, %+v", test.code, err, report)
		}
	}
}

// The stages share the fuel, which stops between two rewrites.
func TestFuel(t *testing.T) {
	back := &passes.Pass{Name: "back", Run: func(c *passes.Ctx, u *passes.Unit) error {
		u.Pixel.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMul && c.ShouldRewrite(in, "changed", "changed") {
				in.Op = ir.OpAdd
			}
		})
		return nil
	}}
	for fuel := range 8 {
		u, left := lift(t, program), fuel
		report, err := passes.Run(u, pipeline(toMul, back), passes.Config{Fuel: &left})
		if err != nil {
			t.Fatal(err)
		}
		want := min(fuel, 3) - max(0, min(fuel, 6)-3)
		if report.Steps != min(fuel, 6) || count(u, ir.OpMul) != want {
			t.Errorf("fuel %d: %d rewrites, %d multiplications, want %d", fuel, report.Steps, count(u, ir.OpMul), want)
		}
		if left != fuel {
			t.Errorf("the caller's fuel went from %d to %d", fuel, left)
		}
	}
}

// Steps are numbered through the run and record action and place. One step can be skipped: those after it are
// still made.
func TestTrace(t *testing.T) {
	var steps []passes.Step
	trace := func(s passes.Step) { steps = append(steps, s) }
	if _, err := passes.Run(lift(t, program), pipeline(toMul, toMin),
		passes.Config{Numerics: passes.Real, Trace: trace}); err != nil {
		t.Fatal(err)
	}
	if len(steps) != 3 || steps[1].String() != "step 2, stage 1 (to-mul), test:4:1: add changed" {
		t.Fatalf("steps %v", steps)
	}
	u := lift(t, program)
	report, err := passes.Run(u, pipeline(toMul), passes.Config{Skip: []passes.StepID{steps[1].StepID}})
	if err != nil || report.Steps != 2 || count(u, ir.OpMul) != 2 || u.Pixel.Body.Code[1].Op != ir.OpAdd {
		t.Errorf("%d rewrites, %v:\n%v", report.Steps, err, u.Pixel)
	}
}

// Half of a profitable change is reverted for its cost, unless Cut is set.
func TestCut(t *testing.T) {
	half := func(u *passes.Unit) (passes.Cost, error) {
		return passes.Cost{count(u, ir.OpMul) * (3 - count(u, ir.OpMul))}, nil
	}
	for _, cut := range []bool{false, true} {
		u, fuel := lift(t, program), 1
		report, err := passes.Run(u, pipeline(toMul), passes.Config{Measure: half, Fuel: &fuel, Cut: cut})
		if err != nil || (count(u, ir.OpMul) == 1) != cut {
			t.Errorf("cut %v: %d are made, %+v, %v", cut, count(u, ir.OpMul), report.Stats, err)
		}
	}
}

// A unit that is broken, or cannot be priced, stays unchanged.
func TestBadUnit(t *testing.T) {
	u := lift(t, program)
	noPrice := func(*passes.Unit) (passes.Cost, error) { return passes.Cost{}, errors.New("no price") }
	if _, err := passes.Run(u, pipeline(toMul), passes.Config{Measure: noPrice}); err == nil || count(u, ir.OpMul) != 0 {
		t.Errorf("error %v, %d multiplications", err, count(u, ir.OpMul))
	}
	u.Pixel.Body.Code = u.Pixel.Body.Code[1:]
	var fault *passes.Fault
	if _, err := passes.Run(u, pipeline(toMul), passes.Config{}); err == nil || errors.As(err, &fault) {
		t.Errorf("error %v", err)
	}
}

// A part of a report equals the report of a run of these stages.
func TestPart(t *testing.T) {
	r := passes.Report{Before: passes.Cost{9}, After: passes.Cost{5}, Steps: 6, Stats: []passes.Stat{
		{Outcome: passes.Changed, Steps: 1, Before: passes.Cost{9}, After: passes.Cost{7}},
		{Outcome: passes.Reverted, Steps: 2, Before: passes.Cost{7}, After: passes.Cost{8}},
		{Outcome: passes.Changed, Steps: 3, Before: passes.Cost{7}, After: passes.Cost{5}},
	}}
	for n, want := range []passes.Report{{After: passes.Cost{9}}, {After: passes.Cost{7}, Steps: 1},
		{After: passes.Cost{7}, Steps: 3}, {After: passes.Cost{5}, Steps: 6}} {
		got := r.FirstStages(n)
		if got.Before != r.Before || got.After != want.After || got.Steps != want.Steps || len(got.Stats) != n {
			t.Errorf("the first %d stages: %+v", n, got)
		}
	}
	part := r.FirstStages(1)
	part.Append(passes.Report{Stats: []passes.Stat{{Steps: 9}}})
	if r.Stats[1].Steps != 2 {
		t.Error("appending to a part overwrites the whole report")
	}
	real := &passes.Pass{Name: "real", Class: passes.Real}
	r, err := passes.Run(lift(t, program), pipeline(real, real), passes.Config{Numerics: passes.Bits})
	if part = r.FirstStages(1); err != nil || len(r.Remarks) != 2 || len(part.Remarks) != 1 {
		t.Errorf("%d remarks, %d on the first stage, %v", len(r.Remarks), len(part.Remarks), err)
	}
	part.Append(r)
	if part = part.FirstStages(2); len(part.Remarks) != 2 {
		t.Errorf("%d remarks on two stages", len(part.Remarks))
	}
}

// Settled holds for a program that the pass left unchanged before. It does not hold for one that has changed
// since, or where a rewrite was refused.
func TestSettled(t *testing.T) {
	for _, test := range []struct {
		pipeline []string
		fuel     int
		want     []bool
	}{
		{[]string{"look", "look"}, 9, []bool{false, true}},
		{[]string{"look", "to-mul", "look", "look"}, 9, []bool{false, false, true}},
		{[]string{"asks", "asks"}, 0, []bool{false, false}},
	} {
		var got []bool
		look := &passes.Pass{Name: "look", Run: func(c *passes.Ctx, u *passes.Unit) error {
			got = append(got, c.Settled(0))
			return nil
		}}
		asks := &passes.Pass{Name: "asks", Run: func(c *passes.Ctx, u *passes.Unit) error {
			got = append(got, c.Settled(0))
			c.ShouldRewrite(nil, "changed", "changed")
			return nil
		}}
		var p passes.Pipeline
		for _, name := range test.pipeline {
			p = append(p, passes.Stage{Pass: map[string]*passes.Pass{"look": look, "asks": asks, "to-mul": toMul}[name]})
		}
		if _, err := passes.Run(lift(t, program), p, passes.Config{Fuel: &test.fuel}); err != nil ||
			!slices.Equal(got, test.want) {
			t.Errorf("%v: %v, not %v; %v", test.pipeline, got, test.want, err)
		}
	}
}

// An adopted trial stays unchanged during other trials, and a trial that is not adopted does not affect the
// unit.
func TestTrial(t *testing.T) {
	u := lift(t, program)
	p := passes.Pipeline{{Pass: &passes.Pass{Name: "tries", Run: func(c *passes.Ctx, u *passes.Unit) error {
		for i := range 4 {
			trial := c.Trial(u)
			for _, in := range trial.Pixel.Body.Code[:i] {
				in.Op = ir.OpMul
			}
			if i == 2 && c.ShouldRewrite(nil, "adopted", "adopted") {
				c.Adopt(u, trial)
			}
		}
		return nil
	}}}}
	if _, err := passes.Run(u, p, passes.Config{}); err != nil || count(u, ir.OpMul) != 2 || count(u, ir.OpAdd) != 1 {
		t.Errorf("%d products and %d sums are left, want 2 and 1: %v\n%v", count(u, ir.OpMul), count(u, ir.OpAdd), err,
			u.Pixel)
	}
}

// A pass that assigns registers is judged by the emitted code, and later stages by the usual price.
func TestPlaces(t *testing.T) {
	places := &passes.Pass{Name: "places", Places: true, Run: replaceAdds(ir.OpMul)}
	muls := func(n int) func(*passes.Unit) (passes.Cost, error) {
		return func(u *passes.Unit) (passes.Cost, error) { return passes.Cost{10 + n*count(u, ir.OpMul)}, nil }
	}
	unwritten := func(*passes.Unit) (passes.Cost, error) { return passes.Cost{}, errors.New("cannot be written") }
	for _, test := range []struct {
		name    string
		pass    *passes.Pass
		written func(*passes.Unit) (passes.Cost, error)
		want    passes.Outcome
		after   int
	}{
		{"costlier by the usual price", places, muls(-1), passes.Changed, 13},
		{"costlier by the emitted code", places, muls(2), passes.Reverted, 10},
		{"not written", places, unwritten, passes.Changed, 13}, // nor could it be written before
		{"placed by nobody", toMul, muls(-1), passes.Reverted, 10},
	} {
		var seen []passes.Cost
		last := &passes.Pass{Name: "last", Run: func(c *passes.Ctx, u *passes.Unit) error {
			cost, err := c.Measure(u)
			seen = append(seen, cost)
			return err
		}}
		u := lift(t, program)
		r, err := passes.Run(u, passes.Pipeline{{Pass: test.pass}, {Pass: last}},
			passes.Config{Measure: muls(1), Written: test.written})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if s := r.Stats[0]; s.Outcome != test.want || r.After[0] != test.after || len(seen) != 1 || seen[0] != r.After ||
			s.Before[0] != 10 || s.Outcome == passes.Changed && s.After[0] != test.after {
			t.Errorf("%s: %+v, %v after it, then %v", test.name, s, r.After, seen)
		}
	}
}
