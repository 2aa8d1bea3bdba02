package shaderlift

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/sample"
	"github.com/shaderlift/shaderlift/verify/gen/shadergen"
)

// A run with more constants that is left out has the programs of the run without them, and one that
// goes on behind the motion has what it has from the start, of random pairs as well as of pairs of
// which something is left out.
func TestMotionsTellRuns(t *testing.T) {
	every := func(uint16) bool { return true }
	useless, from := 0, 0
	for seed := range sample.Count(uint64(24), 60) {
		models := [][2]d3d9.Model{{d3d9.VS20, d3d9.PS20}, {d3d9.VS30, d3d9.PS30}}[seed%2]
		vs, ps := shadergen.Pair(models[0], models[1], seed, 10+int(seed*7%40))
		in := Input{Name: fmt.Sprint("pair", seed)}
		for i, p := range []*d3d9.Program{vs, ps} {
			data, err := d3d9.Write(p)
			if err != nil {
				t.Fatal(err)
			}
			in.Files = append(in.Files, File{fmt.Sprint(i), data})
		}
		for _, target := range []string{SlotTarget, PortableTarget} {
			run := func(change func(*job)) *Result {
				o := job{Options: Options{Target: target}, ctx: context.Background()}
				change(&o)
				res, err := o.optimize(in)
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			m := &motion{mirrors: every}
			plain := run(func(o *job) { o.motions = []*motion{m} })
			whole := run(func(o *job) { o.HostConstants, o.mirrors = Mirrored, every })
			if m.useless() {
				useless++
				if diff := cmp.Diff(plain.Files, whole.Files); diff != "" || len(whole.Uploads) > 0 {
					t.Errorf("seed %d, %s: of no use, yet uploads %v and files (-without, +with)\n%s", seed, target, whole.Uploads, diff)
				}
				continue
			}
			if m.from.unit == nil {
				continue
			}
			from++
			rest := run(func(o *job) { o.HostConstants, o.mirrors, o.from = Mirrored, every, m.from })
			m.release()
			if diff := cmp.Diff(whole, rest, cmpopts.IgnoreUnexported(Result{})); diff != "" {
				t.Errorf("seed %d, %s: (-from the start, +behind the motion)\n%s", seed, target, diff)
			}
		}
	}
	if useless < 4 || from < 4 {
		t.Errorf("%d runs are of no use and %d go on behind the motion", useless, from)
	}
}

// Nothing is told of what is carried out in another way: of versions that are kept whatever they
// cost, and of pipelines that are spelled out, which are run as a whole first.
func TestMotionsOfOtherRuns(t *testing.T) {
	in := Input{Name: "pair", Files: []File{{"0", []byte("vs_2_0\ndcl_position v0\nmov oPos, v0\n")}, {"1", []byte("ps_2_0\nmov oC0, c0\n")}}}
	for _, o := range []Options{{}, {Keep: true}, {Pipeline: "codemotion,dce"}} {
		m := &motion{mirrors: func(uint16) bool { return true }}
		if _, err := (job{Options: o, ctx: context.Background(), motions: []*motion{m}}).optimize(in); err != nil {
			t.Fatal(err)
		}
		if m.known != (!o.Keep && o.Pipeline == "") {
			t.Errorf("%+v: known %v", o, m.known)
		}
	}
}
