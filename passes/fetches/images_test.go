package fetches_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

func TestImagesFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{fetches.Images, fetches.Words}, "../../testdata/passes/images")
}

// randomImages returns a kernel that loads from views 0 and 1, in a loop too, and stores to view 2.
func randomImages(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_cb cb0[4]\ndcl_raw_uav_id(0)\ndcl_raw_uav_id(1)\ndcl_raw_uav_id(2)")
	line("dcl_literal l0, 0, 4, 8, 12\ndcl_literal l1, 16, 20, 24, 28\ndcl_literal l2, 16, 4, 1, -64")
	line("imul r0.x, vaTid.x, l2.%c\nmov r1, cb0[1]\nmov r8.x, l0.x", "xxxy"[r.IntN(4)])
	body := func(base string) {
		for range 3 + r.IntN(5) {
			c := "xyzw"[r.IntN(4)]
			if r.IntN(4) == 0 {
				line("iadd r5.x, %s, l2.w", base) // may be beyond the end
			} else {
				line("iadd r5.x, %s, l%d.%c", base, r.IntN(2), "xyzw"[r.IntN(4)])
			}
			switch r.IntN(6) {
			case 0:
				line("uav_raw_store_id(2) mem.x, r5.x, r1.%c", c)
			default:
				line("uav_raw_load_id(%d) r6.x, r5.x\nmad r1.%c, r1.%[2]c, cb0[2].x, r6.x", r.IntN(4)/3, c)
			}
		}
	}
	body("r0.x")
	if r.IntN(2) == 0 {
		line("whileloop\nige r8.y, r8.x, cb0[0].x\nbreak_logicalnz r8.y\nimad r7.x, r8.x, l1.x, r0.x")
		body("r7.x")
		line("iadd r8.x, r8.x, l2.z\nendloop")
	}
	line("uav_raw_store_id(2) mem, r0.x, r1\nend")
	return b.String()
}

// TestImagesRandom checks that images are proved, and that wrong kernels and wrong bindings are refused.
func TestImagesRandom(t *testing.T) {
	passtest.Random{Count: testcorpus.Count(40, 200), Wrong: testcorpus.Count(10, 20), Seed: 7, Kernel: randomImages,
		Pipeline: func(n int) passes.Pipeline {
			p, err := suite.Parse([]string{"images", "images,gvn,dce", "images{width=1}"}[n%3])
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Changed: func(u *passes.Unit) bool { return u.Tile.Images != ir.Images{} },
		More: func(t *testing.T, c *passtest.Changed) (refused int) { // other bindings
			o := c.Options
			for _, i := range c.Options.Tile.Images.List() {
				for _, other := range []ir.Image{{View: i.View, Resource: i.Resource + 9, Width: i.Width},
					{View: i.View, Resource: i.Resource, Width: 5 - i.Width}, {View: 2, Resource: i.Resource, Width: i.Width}} {
					o.Tile = ir.Tile{X: 1, Y: 1}
					o.Tile.Images, _ = ir.Images{}.With(other)
					if v := verify.CheckKernel(c.Before, c.After, o); v.Verdict.OK() {
						t.Errorf("%v is accepted as %v\n%s", c.Options.Tile, o.Tile, il.Print(c.After))
					}
					refused++
				}
			}
			return refused
		}}.Test(t)
}

// TestImagesViews checks that images are proved for a kernel that OpenCL compiles, alone and after other passes.
func TestImagesViews(t *testing.T) {
	data, err := os.ReadFile("../../testdata/gem/gem_uav.il")
	if err != nil {
		t.Fatal(err)
	}
	k, err := il.Parse("gem_uav", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, pipeline := range []string{"images", "vectorize-memory,images", "restrict,preload,images",
		"accumulate,images", "images,accumulate,restrict,preload", "accumulate,restrict,preload,vectorize-memory,images,gvn",
		"coarsen{x=2},images"} {
		u, err := (&passtest.Source{Kernel: k}).Lift()
		if err != nil {
			t.Fatal(err)
		}
		p, err := suite.Parse(pipeline + ",dce")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := passes.Run(u, p, passes.Config{Numerics: passes.Terms}); err != nil {
			t.Fatal(err)
		}
		out, err := amdil.Emit(k, u.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		v := verify.CheckKernel(k, out, verify.Options{Numerics: passes.Terms, Tile: u.Tile})
		if n := len(u.Tile.Images.List()); n != 2 || v.Verdict != verify.Proved {
			t.Errorf("%s: %d images, %v %s", pipeline, n, v.Verdict, v.Why)
		}
	}
}

// TestImagesWrong checks that wrong kernels by hand are refused.
func TestImagesWrong(t *testing.T) {
	const head = "il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_raw_uav_id(0)\ndcl_raw_uav_id(1)\n" +
		"dcl_literal l0, 16, 4, 2, 1\n"
	const buffer = "dcl_resource_id(0)_type(buffer)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n"
	const tail = "uav_raw_store_id(0) mem.x___, r0.x, r1.x\nend\n"
	load := func(scale string) string {
		return "imul r0.x, vaTid.x, l0." + scale + "\nuav_raw_load_id(1) r1.x, r0.x\n"
	}
	fetch := func(scale, shift, word string) string {
		return "imul r0.x, vaTid.x, l0." + scale + "\nushr r2.x, r0.x, l0." + shift + "\nload_resource(0) r1, r2.x\n" +
			"mov r1.x, r1." + word + "\n"
	}
	for _, c := range []struct {
		what, tile, before, after string
		right                     bool
	}{
		{"element", "image=1:0:4", load("x"), fetch("x", "y", "x"), true},
		{"number", "image=1:0:1", load("y"), fetch("y", "z", "x"), true},
		{"low bits", "image=1:0:1", load("w"), fetch("w", "z", "x"), true},
		{"scale", "image=1:0:4", load("x"), fetch("x", "z", "x"), false},
		{"width", "image=1:0:1", load("x"), fetch("x", "y", "x"), false},
		{"component", "image=1:0:4", load("x"), fetch("x", "y", "y"), false},
		{"misaligned", "image=1:0:4", load("y"), fetch("y", "y", "x"), false},
		{"resource", "image=1:3:4", load("x"), fetch("x", "y", "x"), false},
		{"view", "image=0:0:4", load("x"), fetch("x", "y", "x"), false},
		{"written", "image=1:0:4", load("x") + "uav_raw_store_id(1) mem.x___, r0.x, r1.x\n",
			fetch("x", "y", "x") + "uav_raw_store_id(1) mem.x___, r0.x, r1.x\n", false},
		{"taken", "image=1:0:4", buffer + load("x"), fetch("x", "y", "x"), false},
		{"undeclared", "x=1", load("x"), fetch("x", "y", "x"), false},
	} {
		before, err := il.Parse("before", []byte(head+c.before+tail))
		if err != nil {
			t.Fatal(err)
		}
		after, err := il.Parse("after", []byte(head+buffer+c.after+tail))
		if err != nil {
			t.Fatal(err)
		}
		tile, err := ir.ParseTile(c.tile)
		if err != nil {
			t.Fatal(err)
		}
		v := verify.CheckKernel(before, after, verify.Options{Numerics: passes.Terms, Tile: tile})
		if v.Verdict.OK() != c.right {
			t.Errorf("%s: %v %s", c.what, v.Verdict, v.Why)
		}
	}
}
