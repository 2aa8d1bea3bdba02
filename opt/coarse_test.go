package opt

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// productKernel computes the product of a row and a column for each element of a matrix.
const productKernel = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[1]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l0, 0.0, 1.0, 0.0, 0.0
mov r0, l0.x
mov r1.x, l0.x
whileloop
ge r1.y, r1.x, cb0[0].x
break_logicalnz r1.y
mov r2.x, r1.x
mov r2.y, vWinCoord0.y
mov r3.x, vWinCoord0.x
mov r3.y, r1.x
sample_resource(0)_sampler(0) r4, r2.xy
sample_resource(0)_sampler(0) r5, r3.xy
mad r0, r4, r5, r0
add r1.x, r1.x, l0.y
endloop
mov o0, r0
end
`

func kernelInput(name, text string) Input {
	return Input{Files: []File{{Name: name, Data: []byte(text)}}}
}

func ExampleOptions_coarsen() {
	in := Input{Files: []File{{Name: "product.il", Data: []byte(productKernel)}}}
	rows, err := input.ParseConstant("cb0[0].x=64")
	if err != nil {
		log.Fatal(err)
	}
	res, err := Optimize(context.Background(), in,
		Options{Kernel: KernelOptions{Coarsen: ir.Tile{X: 2, Y: 2}, Domain: [2]int{256, 256}}, Pipeline: "O1",
			Host: HostOptions{Constants: []input.Constant{rows}}})
	if err != nil {
		log.Fatal(err)
	}
	k := res.Kernel
	fmt.Printf("%d fetches for one, %d for four; %s\n", k.Before.Fetches, k.After.Fetches, res.Coarsened)
	// Output:
	// 2 fetches for one, 4 for four; the host must divide the sides of the domain by 2 and 2, without remainders; o0 is o0 of (+0,+0), o1 is o0 of (+1,+0), o2 is o0 of (+0,+1), o3 is o0 of (+1,+1)
}

// groupKernel sums neighbours of a work group.
const groupKernel = `il_cs_2_0
dcl_num_thread_per_group 64
dcl_lds_id(1) 256
dcl_raw_uav_id(0)
dcl_literal l0, 4, 63, 1, 0
imul r0.x___, vTidInGrpFlat.x, l0.x
imul r0._y__, vaTidFlat.x, l0.x
uav_raw_load_id(0) r1.x___, r0.y
lds_store_id(1) r0.x, r1.x
fence_threads_lds
iadd r0.__z_, vTidInGrpFlat.x, l0.z
iand r0.__z_, r0.z, l0.y
imul r0.__z_, r0.z, l0.x
lds_load_id(1) r2.x___, r0.z
add r1.x___, r1.x, r2.x
uav_raw_store_id(0) mem.x___, r0.y, r1.x
end
`

// One invocation does the work of four of its work group.
func ExampleOptions_group() {
	in := Input{Files: []File{{Name: "neighbours.il", Data: []byte(groupKernel)}}}
	res, err := Optimize(context.Background(), in,
		Options{Kernel: KernelOptions{Coarsen: ir.Tile{X: 4, Y: 1, Group: ir.Spread}}, Pipeline: "O2", Keep: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v; %s\n", res.Verdict().OK(), res.Coarsened)
	// Output:
	// true; the host must launch as many groups, each of 4 times fewer threads
}

// TestCoarsen checks that a coarsened kernel is faster for the whole domain, verifies (with Verify
// too), and matches the report.
func TestCoarsen(t *testing.T) {
	in := kernelInput("product.il", productKernel)
	rows, err := input.ParseConstant("cb0[0].x=64")
	if err != nil {
		t.Fatal(err)
	}
	known := []input.Constant{rows}
	for _, o := range []Options{{Kernel: KernelOptions{Coarsen: ir.Tile{X: 2, Y: 2}, Domain: [2]int{128, 128}}, Pipeline: "O1",
		Host: HostOptions{Constants: known}},
		{Pipeline: "coarsen{x=2,y=2},gvn,dce", Host: HostOptions{Constants: known},
			Kernel: KernelOptions{Domain: [2]int{128, 128}}}} {
		res, err := Optimize(t.Context(), in, o)
		if err != nil || res.Status != Improved || res.Coarsened == nil || !res.Verdict().OK() {
			t.Fatalf("%v: %v, %v", o.Pipeline, res, err)
		}
		k := res.Kernel
		if k.After.Cycles >= k.Before.Cycles || k.Before.Domain != "128x128" || k.After.Domain != "64x64" {
			t.Errorf("%v: %+v", o.Pipeline, k)
		}
		if len(res.Coarsened.Outputs) != 4 || res.Coarsened.Divide != [2]int{2, 2} {
			t.Errorf("%v: %+v", o.Pipeline, res.Coarsened)
		}
		text, err := json.Marshal(res)
		if err != nil || !strings.Contains(string(text), `"coarsened":{"tile":"x=2,y=2","divide_domain":[2,2]`) {
			t.Errorf("%s, %v", text, err)
		}
		after := Input{Files: res.Files}
		if res, err := Verify(t.Context(), in, after,
			Options{Kernel: KernelOptions{Coarsen: ir.Tile{X: 2, Y: 2}, Domain: o.Kernel.Domain},
				Host: HostOptions{Constants: known}}); err != nil || res.Coarsened == nil {
			t.Errorf("%v: %v", o.Pipeline, err)
		}
		if _, err := Verify(t.Context(), in, after,
			Options{Kernel: KernelOptions{Coarsen: ir.Tile{X: 4, Y: 1}, Domain: o.Kernel.Domain},
				Host: HostOptions{Constants: known}}); err == nil {
			t.Errorf("%v: it is taken for another tile", o.Pipeline)
		}
		if _, err := Verify(t.Context(), in, after, Options{Host: HostOptions{Constants: known},
			Kernel: KernelOptions{Domain: o.Kernel.Domain}}); err == nil {
			t.Errorf("%v: it is taken for the kernel itself", o.Pipeline)
		}
	}
}

// TestCoarsenStored checks that a tile with sixteen outputs stores them, that the report says where, and that another
// width is refused.
func TestCoarsenStored(t *testing.T) {
	in := kernelInput("product.il", productKernel)
	rows, err := input.ParseConstant("cb0[0].x=64")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Kernel: KernelOptions{Coarsen: ir.Tile{X: 4, Y: 4, Width: 64, Stored: true}}, Pipeline: "O1", Keep: true,
		Host: HostOptions{Constants: []input.Constant{rows}}}
	res, err := Optimize(t.Context(), in, o)
	if err != nil || res.Coarsened == nil || res.Coarsened.Elements != 1 || len(res.Coarsened.Outputs) > 0 {
		t.Fatalf("%+v, %v, %v", res.Coarsened, res.Remarks, err)
	}
	for _, duty := range []string{"element 1*(64*y+x)+m of g[]", "no resource may be bound"} {
		if !strings.Contains(res.Coarsened.String(), duty) {
			t.Errorf("%q is missing in %q", duty, res.Coarsened)
		}
	}
	for width, ok := range map[int]bool{64: true, 60: false} {
		o.Kernel.Coarsen.Width = width
		v, err := Verify(t.Context(), in, input.Input{Files: res.Files}, o)
		if accepted := err == nil && v.Verdict().OK(); accepted != ok {
			t.Errorf("width %d: %v, %v", width, v.Verdict(), err)
		}
	}
}

// TestCoarsenDeclines checks that an unsuitable kernel is not coarsened, with the reason in a remark,
// while the other passes still run.
func TestCoarsenDeclines(t *testing.T) {
	in := kernelInput("row.il", strings.ReplaceAll(productKernel, "vWinCoord0.y", "cb0[0].y"))
	res, err := Optimize(t.Context(), in, Options{Kernel: KernelOptions{Coarsen: ir.Tile{X: 1, Y: 2}}, Pipeline: "O1"})
	if err != nil || res.Coarsened != nil {
		t.Fatalf("%v, %v", res.Coarsened, err)
	}
	found := false
	for _, r := range res.Remarks {
		found = found || r.Pass == "coarsen" && r.Code == "position"
	}
	if !found {
		t.Errorf("it is not said why: %v", res.Remarks)
	}
	for _, text := range []string{"x=0", "2x2", "x=65", "x=2,y=2,x-table=1"} {
		if _, err := kernel.ParseTile(text); err == nil || !strings.Contains(err.Error(), "bad-tile") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCoarsenUneven checks that a launch that tiles do not divide gives a remark with the option to
// use, and none with that option.
func TestCoarsenUneven(t *testing.T) {
	in := kernelInput("product.il", productKernel)
	rows, err := input.ParseConstant("cb0[0].x=64")
	if err != nil {
		t.Fatal(err)
	}
	for tile, want := range map[ir.Tile]int{{X: 2, Y: 2}: 2, {X: 2, Y: 2, Width: 63}: 1,
		{X: 2, Y: 2, Width: 63, Height: 33}: 0, {X: 3, Y: 1}: 0} {
		res, err := Optimize(t.Context(), in, Options{Kernel: KernelOptions{Coarsen: tile, Domain: [2]int{63, 33}},
			Pipeline: "O1", Keep: true,
			Host: HostOptions{Constants: []input.Constant{rows}}})
		if err != nil || res.Coarsened == nil || !res.Verdict().OK() {
			t.Fatalf("%s: %v, %v", tile, res, err)
		}
		n := 0
		for _, r := range res.Remarks {
			if r.Code == "uneven" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d remarks, want %d", tile, n, want)
		}
	}
}

// TestCoarsenOtherDomain checks for a remark if a coarsened kernel is for another domain than the
// requested one.
func TestCoarsenOtherDomain(t *testing.T) {
	launch := &interpreter.Case{Width: 64, Height: 48}
	for _, c := range []struct {
		tile   ir.Tile
		domain [2]int
		launch *interpreter.Case
		want   string
	}{
		{ir.Tile{X: 2, Y: 2, Width: 64, Height: 32}, [2]int{64, 32}, nil, ""},
		{ir.Tile{X: 2, Y: 2, Width: 64, Height: 32}, [2]int{}, nil, ""},
		{ir.Tile{X: 2, Y: 2}, [2]int{64, 32}, launch, ""},
		{ir.Tile{X: 2, Y: 2, Width: 64, Height: 32}, [2]int{128, 32}, launch, "64 across, not for 128, which was requested; "},
		{ir.Tile{X: 2, Y: 2, Width: 62, Height: 32}, [2]int{}, launch,
			"62 across, not for 64, which the case has; 32 down, not for 48, which the case has; "},
	} {
		var got string
		o := job{Options: Options{Kernel: KernelOptions{Coarsen: c.tile, Domain: c.domain, Case: c.launch}}}
		settings := o.kernelSettings()
		for _, why := range settings.Overruled() {
			got += strings.Replace(strings.TrimPrefix(why, "costs are for a domain of "),
				", the only one for the coarsened kernel", "", 1) + "; "
		}
		if got != c.want {
			t.Errorf("%s for %v: %q, want %q", c.tile, c.domain, got, c.want)
		}
	}
}

// TestCoarsenOnly checks that the cost of a coarsened kernel for one domain refers to that domain. On a
// wider one, all repeated invocations would read from the cache.
func TestCoarsenOnly(t *testing.T) {
	in := kernelInput("product.il", productKernel)
	rows, err := input.ParseConstant("cb0[0].x=64")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{
		{Kernel: KernelOptions{Coarsen: ir.Tile{X: 3, Y: 1, Width: 17, Height: 5}}, Pipeline: "O1"},
		{Kernel: KernelOptions{Coarsen: ir.Tile{X: 3, Y: 1, Width: 17}, Domain: [2]int{99, 5}}, Pipeline: "O1"},
		{Pipeline: "coarsen{x=3,width=17,height=5},dce"},
	} {
		o.Keep, o.Host.Constants = true, []input.Constant{rows}
		res, err := Optimize(t.Context(), in, o)
		if err != nil || res.Coarsened == nil || !res.Verdict().OK() {
			t.Fatalf("%v: %v, %v", o, res, err)
		}
		if k := res.Kernel; k.Before.Domain != "17x5" || k.After.Domain != "6x5" {
			t.Errorf("%s %s: before on %s, after on %s", o.Kernel.Coarsen, o.Pipeline, k.Before.Domain, k.After.Domain)
		}
	}
}
