package shaderlift_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/input"
)

// tiled is the pipeline of docs/kernels.md for packed resources.
const tiled = "fold{lanes=true},dce,coarsen{x=4,y=8,outputs=4},fold,dce,gvn,copyprop,dce,unroll{factor=4},fold,break-deps," +
	"gvn,copyprop,combine-alu,dce,vectorize-fetches{resource=all},gvn,copyprop,sink,vectorize,dce,group-fetches," +
	"merge-registers,dce"

// products are spellings of the matrix product of testdata/il/jang_naive.il: code before the loop, and its body.
var products = []struct{ name, before, body string }{
	{"one vector is the index", // as on AMD's slides
		"mov r0.x, vWinCoord0.x\nmov r0.yz, l0.zz\nmov r0.w, vWinCoord0.y\nmov r1, l0.xyyx\nmov r3.x, cb0[0].x",
		`lt r4.x, l0.x, r3.x
break_logicalz r4.x
sample_resource(0)_sampler(0) r5.x, r0.zw
sample_resource(1)_sampler(1) r6.x, r0.xy
mul r7.x, r5.x, r6.x
add r2.x, r2.x, r7.x
add r0, r0, r1
sub r3.x, r3.x, l0.y`},
	{"the counter is an integer", "mov r3.x, l1.x",
		`ige r4.x, r3.x, cb0[0].x
break_logicalnz r4.x
itof r5.x, r3.x
mov r5.y, vWinCoord0.y
mov r6.x, vWinCoord0.x
mov r6.y, r5.x
sample_resource(0)_sampler(0) r7.x, r5.xy
sample_resource(1)_sampler(1) r8.x, r6.xy
mad r2.x, r7.x, r8.x, r2.x
iadd r3.x, r3.x, l1.y`},
	{"the halves are added to the index",
		"mov r0.x, vWinCoord0.x\nmov r0.yz, l0.xx\nmov r0.w, vWinCoord0.y\nmov r1, l0.xyyx\nmov r3.x, cb0[0].x",
		`lt r4.x, l0.x, r3.x
break_logicalz r4.x
add r8.xy, r0.zw, l0.zx
sample_resource(0)_sampler(0) r5.x, r8.xy
add r9.xy, r0.xy, l0.xz
sample_resource(1)_sampler(1) r6.x, r9.xy
mad r2.x, r5.x, r6.x, r2.x
add r0, r0, r1
sub r3.x, r3.x, l0.y`},
	{"the address is a sum of bits", "mov r3.x, l1.x",
		`ige r4.x, r3.x, cb0[0].x
break_logicalnz r4.x
ishl r9.x, r3.x, l1.y
ior r9.x, r9.x, l1.y
itof r5.x, r9.x
mul r5.x, r5.x, l0.z
mov r5.y, vWinCoord0.y
mov r6.x, vWinCoord0.x
mov r6.y, r5.x
sample_resource(0)_sampler(0) r7.x, r5.xy
sample_resource(1)_sampler(1) r8.x, r6.xy
mad r2.x, r7.x, r8.x, r2.x
iadd r3.x, r3.x, l1.y`},
}

// The spelling of a kernel does not matter: one pipeline packs all spellings of a matrix product into as few fetches,
// and their times are within 5 %.
func TestSpellings(t *testing.T) {
	known := func(s string) shaderlift.Options {
		c, err := input.ParseConstant("cb0[0].x=" + s)
		if err != nil {
			t.Fatal(err)
		}
		return shaderlift.Options{Pipeline: tiled, Host: shaderlift.HostOptions{Constants: []input.Constant{c}},
			Kernel: shaderlift.KernelOptions{Domain: [2]int{128, 128}}}
	}
	first, err := os.ReadFile("testdata/il/jang_naive.il")
	if err != nil {
		t.Fatal(err)
	}
	type spelling struct{ name, text string }
	list := []spelling{{"testdata", string(first)}}
	head, _, _ := strings.Cut(string(first), "dcl_literal")
	for _, p := range products {
		list = append(list, spelling{p.name, fmt.Sprintf("%sdcl_literal l0, 0.0, 1.0, 0.5, 0.0\ndcl_literal l1, 0, 1, 0, 0\n"+
			"mov r2.x, l0.x\n%s\nwhileloop\n%s\nendloop\nmov o0, r2.x\nend\n", head, p.before, p.body)})
	}
	var least, most int
	for i, s := range list {
		o := known("128")
		if strings.Contains(s.text, "ige") {
			o = known("128i")
		}
		res, err := shaderlift.Optimize(t.Context(), program("product.il", s.text), o)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if res.Kernel == nil || res.Kernel.After == nil || !res.Verdict().OK() {
			t.Errorf("%s: %v, %v", s.name, res.Status, res.Remarks)
			continue
		}
		cycles := int(res.Kernel.After.Cycles)
		t.Logf("%s: %d fetches, %d groups, %d cycles", s.name, res.Kernel.After.Fetches, res.Kernel.After.ALU, cycles)
		if n := res.Kernel.After.Fetches; n != 12 {
			t.Errorf("%s: %d fetches, want 12", s.name, n)
		}
		if most = max(most, cycles); i == 0 || cycles < least {
			least = cycles
		}
	}
	if most > least*105/100 {
		t.Errorf("from %d to %d cycles", least, most)
	}
}
