package opt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"golang.org/x/tools/txtar"
)

// trustRefused names single cases that are right and still rejected.
var trustRefused []string

// trustRelabelled names cases of ../shared/corpus/trust/*/wrong that are right. lp_start0 differs from legal-refused/lp_start0_ne in
// one place: it stores r0.x where before stores r0. All four lanes of r0 start at 0 and add r1.x on every trip, so both stores write
// the same words; executions with 0 to 99999 trips agree in all of g[].
var trustRelabelled = []string{"wrong-refused/lp_start0"}

// TestTrust judges each case of testdata/trust with default options. A case is a txtar archive with the files "before" and
// "after", and "before1" and "after1" for the pixel programs of a pair. The verifier must refuse the cases in the folder wrong
// and accept those in the folder right. The comment of an archive says why.
func TestTrust(t *testing.T) {
	for _, label := range []string{"wrong", "right"} {
		paths, err := filepath.Glob(filepath.Join("testdata", "trust", label, "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("testdata/trust/%s has no case (%v)", label, err)
		}
		for _, path := range paths {
			t.Run(label+"/"+strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
				archive, err := txtar.ParseFile(path)
				if err != nil {
					t.Fatal(err)
				}
				var before, after Input
				for _, f := range archive.Files {
					file := File{Name: f.Name, Data: f.Data}
					if strings.HasPrefix(f.Name, "before") {
						before.Files = append(before.Files, file)
					} else {
						after.Files = append(after.Files, file)
					}
				}
				checkTrust(t, before, after, label == "right")
			})
		}
	}
}

// TestTrustCorpus judges the cases of ../shared/corpus/trust in the same way.
func TestTrustCorpus(t *testing.T) {
	for _, label := range []string{"wrong", "right"} {
		for _, path := range testcorpus.EveryNth(testcorpus.Glob(t, "corpus/trust/*/"+label+"/*.b0"), 5) {
			folder := filepath.Base(filepath.Dir(filepath.Dir(path)))
			name := strings.TrimSuffix(path, ".b0")
			label := label
			switch id := folder + "/" + filepath.Base(name); {
			case slices.Contains(trustRefused, id):
				label = "wrong"
			case slices.Contains(trustRelabelled, id):
				label = "right"
			}
			t.Run(folder+"/"+filepath.Base(name), func(t *testing.T) {
				checkTrust(t, readTrust(t, name+".b"), readTrust(t, name+".a"), label == "right")
			})
		}
	}
}

// readTrust reads the file stem+"0" and, for a pair, stem+"1".
func readTrust(t *testing.T, stem string) (in Input) {
	for _, digit := range []string{"0", "1"} {
		data, err := os.ReadFile(stem + digit)
		if os.IsNotExist(err) && digit == "1" {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, File{Name: filepath.Base(stem) + digit, Data: data})
	}
	return in
}

// checkTrust fails unless the verifier accepts or rejects the replacement of before by after, as wanted. Rejected
// versions get the effort of Optimize, which omits the search for a counterexample if the proofs have failed.
// No result of that search leads to an acceptance (verify.TestLeast).
func checkTrust(t *testing.T, before, after Input, accept bool) {
	t.Helper()
	by := fullEffort
	if accept || testcorpus.Whole {
		by = reportEffort
	}
	o := job{ctx: context.Background()}
	res, err := o.contained(&Fault{Task: TaskVerify, Input: before, After: &after},
		func(o job, res *Result) error { return o.verifyInto(res, before, after, framework{}, by) })
	if accepted := err == nil; accepted != accept {
		t.Errorf("accepted: %v, want %v (verdict %s, error %v)", accepted, accept, res.Verdict(), err)
	}
}
