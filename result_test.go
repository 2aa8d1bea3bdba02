package shaderlift_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// fieldsOfKinds returns the fields of Result that its comment lists for each kind.
func fieldsOfKinds(t *testing.T) map[string][]string {
	t.Helper()
	source, err := os.ReadFile("opt/report.go")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string][]string{}
	names := regexp.MustCompile(`\b[A-Z]\w+`)
	for _, row := range regexp.MustCompile(`(?m)^//\t(\w+(?:, \w+)*)  +(.*)$`).FindAllStringSubmatch(string(source), -1) {
		for kind := range strings.SplitSeq(row[1], ", ") {
			fields[kind] = names.FindAllString(row[2], -1)
		}
	}
	return fields
}

// TestResultShape checks that the results of all kinds of inputs have units, costs and files in one form, and only the
// fields that the comment of Result lists for their kind.
func TestResultShape(t *testing.T) {
	fields := fieldsOfKinds(t)
	var e fxtest.Builder
	e.Technique("T")
	e.AddPass("P", fxtest.Shader{Data: fxtest.Assemble(plainVertex)},
		fxtest.Shader{Data: fxtest.Assemble("ps_2_0\ndcl t0\nmov r0, t0\nmov r1, r0\nmov oC0, r1\n")})
	for _, c := range []struct {
		in    shaderlift.Input
		units int
		costs string // names, for SlotTarget and for the default target
	}{
		{program("a.psh", "ps_2_0\ndcl t0\nmov r0, t0\nmov r1, r0\nmov oC0, r1\n"), 1, "pixel slots"},
		{conv1d(t), 1, "pixel slots, vertex slots"},
		{effectFile(&e), 1, "pixel slots, vertex slots, bytes"},
		{modules(t), 1, "components, instructions"},
		{kernelFile(t, "testdata/il/pldi_v1.il"), 1, "cycles on rv670, registers, groups"},
		{program("wrong.psh", "ps_2_0\nfrob r0\n"), 1, ""},
	} {
		kind := c.in.Kind()
		for _, target := range []shaderlift.Target{"", shaderlift.SlotTarget} {
			if kind == shaderlift.KindKernel && target != "" {
				continue
			}
			res, err := shaderlift.Optimize(t.Context(), c.in, shaderlift.Options{Target: target})
			if (err != nil) != (c.costs == "") {
				t.Fatal(err)
			}
			if err == nil && len(res.Files) != len(c.in.Files) || len(res.Units()) != c.units {
				t.Errorf("%s: %d files, %d units", kind, len(res.Files), len(res.Units()))
			}
			var totals shaderlift.Totals
			totals.Add(res)
			var names []string
			for i, cost := range res.Costs() {
				if cost.Before <= 0 || i == 0 && cost.After > cost.Before {
					t.Errorf("%s: %v", kind, cost)
				}
				if strings.HasPrefix(cost.Name, "time on ") {
					continue
				}
				names = append(names, cost.Name)
				if p := totals.PixelSlots; cost.Name == "pixel slots" &&
					cost != (shaderlift.Cost{Name: cost.Name, Before: float64(p.Before), After: float64(p.After)}) {
					t.Errorf("%s: %v, the report has %v", kind, cost, p)
				}
			}
			if got := strings.Join(names, ", "); got != c.costs {
				t.Errorf("%s: costs %s, want %s", kind, got, c.costs)
			}
			if d := kind != shaderlift.KindKernel && err == nil && target == ""; d != strings.HasPrefix(costNames(res), "time on ") {
				t.Errorf("%s for %q: the first cost of %s is wrong", kind, target, costNames(res))
			}
			v := reflect.ValueOf(res).Elem()
			for other, list := range fields {
				for _, name := range list {
					if f := v.FieldByName(name); !f.IsValid() {
						t.Errorf("the comment of Result lists %s", name)
					} else if !f.IsZero() && !slices.Contains(fields[kind.String()], name) {
						t.Errorf("a %s has %s, which belongs to a %s", kind, name, other)
					}
				}
			}
		}
	}
	if len(fields) != 5 {
		t.Errorf("the comment of Result lists %v", fields)
	}
}

// modules returns a pair of SPIR-V modules.
func modules(t *testing.T) shaderlift.Input {
	t.Helper()
	in, err := shaderlift.ReadFiles("testdata/spirv/lit.vert.spv", "testdata/spirv/lit.frag.spv")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// costNames returns the names of the costs of a result.
func costNames(res *shaderlift.Result) string {
	var names []string
	for _, c := range res.Costs() {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}
