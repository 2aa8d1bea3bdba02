package opt

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// TestMotionsTellRuns checks that a skipped run with more constants would find no version with them. It
// also checks that a run resumed after code motion equals a complete run. It uses
// random pairs, and pairs with left-out rewrites.
func TestMotionsTellRuns(t *testing.T) {
	every := func(uint16) bool { return true }
	useless, from := 0, 0
	for seed := range testcorpus.Count(uint64(24), 60) {
		models := [][2]d3d9.Model{{d3d9.VS20, d3d9.PS20}, {d3d9.VS30, d3d9.PS30}}[seed%2]
		vs, ps := gen.PairOf(models[0], models[1], seed, 10+int(seed*7%40))
		in := Input{Name: fmt.Sprint("pair", seed)}
		for i, p := range []*d3d9.Program{vs, ps} {
			data, err := d3d9.Write(p)
			if err != nil {
				t.Fatal(err)
			}
			in.Files = append(in.Files, File{Name: fmt.Sprint(i), Data: data})
		}
		for _, target := range []pair.Target{pair.SlotTarget, pair.PortableTarget} {
			run := func(host input.HostConstants, m mode) *Result {
				o := Options{Target: target, Host: HostOptions{PixelConstants: host}}
				if fuel := int(seed); seed%4 >= 2 {
					o.Limits.Fuel = &fuel
				}
				res, err := job{Options: o, ctx: context.Background()}.optimize(in, m)
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			m := &motion{mirrors: every}
			run(input.Separate, mode{motions: []*motion{m}})
			whole := run(input.Mirrored, mode{mirrors: every})
			if m.useless() {
				useless++
				if whole.Status != Unchanged || len(whole.Uploads) > 0 {
					t.Errorf("seed %d, %s: of no use, yet %s with uploads %v", seed, target, whole.Status, whole.Uploads)
				}
				continue
			}
			if m.from.Unit == nil {
				continue
			}
			from++
			rest := run(input.Mirrored, mode{mirrors: every, from: m.from})
			m.release()
			if rest.Status == Unchanged { // optimizeBound drops the result; the run may end early
				whole.Remarks, rest.Remarks = nil, nil
			}
			if diff := cmp.Diff(whole, rest, cmpopts.IgnoreUnexported(Result{})); diff != "" {
				t.Errorf("seed %d, %s: (-from the start, +behind the motion)\n%s", seed, target, diff)
			}
		}
	}
	if useless < 4 || from < 4 {
		t.Errorf("%d runs are of no use and %d go on behind the motion", useless, from)
	}
}

// TestMotionsOfOtherRuns checks that motions stay unknown for runs with Keep, and for explicit
// pipelines, which first run as a whole.
func TestMotionsOfOtherRuns(t *testing.T) {
	in := Input{Name: "pair", Files: []File{{Name: "0", Data: []byte("vs_2_0\ndcl_position v0\nmov oPos, v0\n")},
		{Name: "1", Data: []byte("ps_2_0\nmov oC0, c0\n")}}}
	for _, o := range []Options{{}, {Keep: true}, {Pipeline: "codemotion,dce"}} {
		m := &motion{mirrors: func(uint16) bool { return true }}
		if _, err := (job{Options: o, ctx: context.Background()}).optimize(in, mode{motions: []*motion{m}}); err != nil {
			t.Fatal(err)
		}
		if m.known != (!o.Keep && o.Pipeline == "") {
			t.Errorf("%+v: known %v", o, m.known)
		}
	}
}
