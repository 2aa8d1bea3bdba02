package shaderlift_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	pricing "github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// ExampleLaunches prices two versions of a kernel on the same launches.
func ExampleLaunches() {
	const before = `il_ps_2_0
dcl_cb cb0[1]
dcl_output_generic o0
dcl_literal l0, 0.0, 1.0, 0.0, 0.0
mov r0, l0.x
mov r1.x, l0.x
whileloop
ge r1.y, r1.x, cb0[0].x
break_logicalnz r1.y
mul r2, r1.x, cb0[0].y
add r0, r0, r2
add r1.x, r1.x, l0.y
endloop
mov o0, r0
end
`
	ctx := context.Background()
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "sum.il", Data: []byte(before)}}}
	res, err := shaderlift.Optimize(ctx, in, shaderlift.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	launches, err := shaderlift.Launches(ctx, in, shaderlift.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := shaderlift.Stats(ctx, shaderlift.Input{Files: res.Files},
		shaderlift.Options{Kernel: shaderlift.KernelOptions{Launches: launches}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, l := range launches {
		now := after.Launches[i].CyclesBefore
		fmt.Println(l.Name, now <= l.CyclesBefore, now == res.Launches[i].CyclesAfter)
	}
	// Output:
	// typical true true
	// few true true
	// many true true
}

// samePrice reports an error unless Stats gives a file the same time on the launch of a case.
func samePrice(t *testing.T, name string, f shaderlift.File, text string, cycles float64, target string) {
	t.Helper()
	c, err := kernel.ParseCase(name, []byte(text))
	if err != nil {
		t.Errorf("%s: the case cannot be read: %v", name, err)
		return
	}
	res, err := shaderlift.Stats(t.Context(), shaderlift.Input{Files: []shaderlift.File{f}},
		shaderlift.Options{Kernel: shaderlift.KernelOptions{Case: c}, Target: shaderlift.Target(target)})
	if err != nil || res.Kernel.Before.Cycles != cycles {
		t.Errorf("%s: %.0f cycles by themselves, %.0f in the report; %v", name, res.Kernel.Before.Cycles, cycles, err)
	}
}

// steadyPrices checks the launches in the result of Optimize. The input and the written file take
// exactly the reported cycles on each, and an improved kernel is slower on none.
func steadyPrices(t *testing.T, in shaderlift.Input, o shaderlift.Options) *shaderlift.Result {
	t.Helper()
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil || res.Kernel == nil {
		return res
	}
	if len(res.Launches) != 3 {
		t.Fatalf("%s: %d launches", in.Path(), len(res.Launches))
	}
	if l := res.Launches[0]; l.CyclesBefore != res.Kernel.Before.Cycles ||
		l.CyclesAfter != res.Kernel.CurrentCost().Cycles {
		t.Errorf("%s: %+v is not the time on the first launch", in.Path(), l)
	}
	for _, l := range res.Launches {
		after := l.Before
		if l.After != "" {
			after = l.After
		}
		samePrice(t, in.Path()+" before, "+l.Name, in.Files[0], l.Before, l.CyclesBefore, res.Kernel.Target)
		samePrice(t, in.Path()+" after, "+l.Name, res.Files[0], after, l.CyclesAfter, res.Kernel.Target)
		if l.CyclesAfter > l.CyclesBefore*(1+pricing.Threshold) && !o.Keep {
			t.Errorf("%s is slower on the launch %s: %.0f cycles, not %.0f", in.Path(), l.Name, l.CyclesAfter, l.CyclesBefore)
		}
	}
	if res.Status == shaderlift.Improved && res.Kernel.CurrentCost().Cycles >= res.Kernel.Before.Cycles {
		t.Errorf("%s is improved, and not faster", in.Path())
	}
	return res
}

// TestSteadyPrices checks that the time in a report is the time of the written file, on the launch in
// the report.
func TestSteadyPrices(t *testing.T) {
	paths, err := filepath.Glob("testdata/il/*.il")
	if err != nil || len(paths) == 0 {
		t.Fatal("no kernels of our own: ", err)
	}
	inputs, _ := kernelFiles(t, testcorpus.EveryNth(paths, 4))
	for _, in := range inputs {
		steadyPrices(t, in, shaderlift.Options{Kernel: shaderlift.KernelOptions{Domain: smallDomain}})
	}
}

// TestSteadyPricesOfCorpus does the same for kernels of the corpus.
func TestSteadyPricesOfCorpus(t *testing.T) {
	t.Parallel()
	inputs, _ := kernelFiles(t, testcorpus.EveryNth(testcorpus.Glob(t, "corpus/il/*.il"), 15))
	for _, in := range inputs {
		steadyPrices(t, in, shaderlift.Options{})
	}
}

// TestSteadyPricesOfTiles checks that a result with another launch has its own case for each launch.
func TestSteadyPricesOfTiles(t *testing.T) {
	inputs, _ := kernelFiles(t, []string{"testdata/il/jang_naive.il", "testdata/coarsen/correlator.il"})
	constant, err := shaderlift.ParseConstant("cb0[0].x=32")
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range []shaderlift.Options{
		{Kernel: shaderlift.KernelOptions{Coarsen: shaderlift.Tile{X: 2, Y: 2}}, Keep: true},
		{Kernel: shaderlift.KernelOptions{Coarsen: shaderlift.Tile{X: 4, Y: 3, XTable: 2, YTable: 3}}, Keep: true},
		{Keep: true, Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{constant}},
			Pipeline: "coarsen{x=4,y=2,outputs=4},fold,dce,gvn,copyprop,dce,unroll{factor=4},fold,break-deps,gvn,copyprop,dce,vectorize-fetches{resource=all},gvn,dce"},
	} {
		o.Kernel.Domain = smallDomain
		res := steadyPrices(t, inputs[i%2], o)
		if res.Coarsened == nil || res.Launches[0].After == "" {
			t.Errorf("%v: %+v", o, res)
		}
	}
}

// TestLaunchesDiffer checks that launches differ in trip counts if constants decide these, else in the
// domain. Promises and a given domain hold in all of them.
func TestLaunchesDiffer(t *testing.T) {
	inputs, _ := kernelFiles(t, []string{"testdata/il/jang_naive.il", "testdata/il/transpose.il"})
	trips, err := shaderlift.ParseConstant("cb0[0].x=32")
	if err != nil {
		t.Fatal(err)
	}
	cases := func(in shaderlift.Input, o shaderlift.Options) (list []*kernel.Case) {
		launches, err := shaderlift.Launches(t.Context(), in, o)
		if err != nil || len(launches) != 3 {
			t.Fatal(launches, err)
		}
		for _, l := range launches {
			c, err := kernel.ParseCase(l.Name, []byte(l.Before))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, c)
		}
		if few, typical, many := launches[1].CyclesBefore, launches[0].CyclesBefore, launches[2].CyclesBefore; few >= typical || typical >= many {
			t.Errorf("%s: few, typical and many take %.0f, %.0f and %.0f cycles", in.Path(), few, typical, many)
		}
		return list
	}
	list := cases(inputs[0], shaderlift.Options{Kernel: shaderlift.KernelOptions{Domain: smallDomain}})
	if x := list[0].Constants[0][0][0]; x == list[1].Constants[0][0][0] || x == list[2].Constants[0][0][0] ||
		list[1].Width != 64 || list[2].Width != 64 {
		t.Errorf("trips do not differ, or the domain does: %s%s%s", list[0].Format(), list[1].Format(), list[2].Format())
	}
	for _, c := range cases(inputs[0],
		shaderlift.Options{Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{trips}}}) {
		if c.Constants[0][0][0] != thirtyTwo {
			t.Errorf("the promise does not hold: %s", c.Format())
		}
	}
	list = cases(inputs[1], shaderlift.Options{})
	if list[1].Width >= list[0].Width || list[2].Width <= list[0].Width {
		t.Errorf("domains do not differ: %s%s%s", list[0].Format(), list[1].Format(), list[2].Format())
	}
}

// thirtyTwo is the word of 32.0.
const thirtyTwo = 0x42000000

// TestTypicalTrips checks that unrolling a loop of unknown length pays on the typical launch, and on
// the launch with few trips too.
func TestTypicalTrips(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{readFile(t, "examples/programs/nbody.il")}}
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != shaderlift.Improved {
		t.Errorf("the example is %s: %v", res.Status, res.Remarks)
	}
	for _, l := range res.Launches {
		if l.CyclesAfter > l.CyclesBefore*(1+pricing.Threshold) {
			t.Errorf("%s: %.0f -> %.0f cycles", l.Name, l.CyclesBefore, l.CyclesAfter)
		}
	}
}
