package kernel

import (
	"encoding/json"
	"fmt"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

const head = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[4]
dcl_literal l0, 0.0, 1.0, 2.0, 4.0
dcl_literal l1, 0, 1, 2, 4
mov r0, vWinCoord0.x
`

func parse(t testing.TB, body string) *il.Kernel {
	k, err := il.Parse("k.il", []byte(head+strings.ReplaceAll(body, "; ", "\n")+"\nmov o0, r0\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func Example() {
	k, err := il.Parse("k.il", []byte(head+
		"lt r1.x, cb0[0].x, l0.w\nif_logicalnz r1.x\nmul r0, r0, r0\nendif\nmov o0, r0\nend\n"))
	if err != nil {
		log.Fatal(err)
	}
	conditions, leaves, err := Split(k, 16)
	if err != nil {
		log.Fatal(err)
	}
	for i, c := range conditions {
		fmt.Println(i, c.Expr)
	}
	for _, l := range leaves {
		fmt.Println(l.When)
	}
	// Output:
	// 0 flt(cb0[0].x, 0x40800000)
	// [{0 true}]
	// [{0 false}]
}

// TestConditions checks that exactly the conditions on constants are found, each once.
func TestConditions(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"if_logicalnz cb0[0].x; mul r0, r0, r0; endif", "cb0[0].x"},
		{"if_logicalz cb0[0].y; mul r0, r0, r0; endif", "cb0[0].y"},
		{"iand r1.x, cb0[1].z, l1.y; if_logicalnz r1.x; mul r0, r0, r0; endif", "iand(cb0[1].z, 0x00000001)"},
		{"lt r1.x, cb0[0].x_neg(x), l0.w; if_logicalnz r1.x; mul r0, r0, r0; endif", "flt(flip-sign(cb0[0].x), 0x40800000)"},
		{"lt r1.x, cb0[0].x, l0.w; if_logicalnz r1.x; mul r0, r0, r0; endif; lt r2.x, cb0[0].x, l0.w; if_logicalz r2.x; add r0, r0, r0; endif", "flt(cb0[0].x, 0x40800000)"},
		{"if_logicalnz cb0[0].x; mul r0, r0, r0; if_logicalnz cb0[0].y; add r0, r0, r0; endif; endif", "cb0[0].x cb0[0].y"},
		{"lt r1.x, vWinCoord0.x, l0.w; if_logicalnz r1.x; mul r0, r0, r0; endif", ""},
		{"lt r1.x, l0.x, l0.w; if_logicalnz r1.x; mul r0, r0, r0; endif", ""},
		{"dp2_ieee r1.x, cb0[0].xy, cb0[1].xy; if_logicalnz r1.x; mul r0, r0, r0; endif", ""},
		{"ftoi r1.x, vWinCoord0.x; mov r1.x, cb0[r1.x].x; if_logicalnz r1.x; mul r0, r0, r0; endif", ""},
		{"mov r1.x, l1.x; whileloop; ige r1.y, r1.x, cb0[0].x; break_logicalnz r1.y; if_logicalnz r1.x; add r0, r0, r0; endif; iadd r1.x, r1.x, l1.y; endloop", ""},
	} {
		list, err := findConditions(parse(t, c.body))
		var got []string
		for _, x := range list {
			got = append(got, x.Expr.String())
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v", c.body, got, err)
		}
	}
}

// TestSplit checks that conditions on one side of another are decided only there, and that the
// number of kernels is bounded.
func TestSplit(t *testing.T) {
	nested := "if_logicalnz cb0[0].x; mul r0, r0, r0; if_logicalnz cb0[0].y; add r0, r0, r0; endif; endif; if_logicalnz cb0[0].z; add r0, r0, cb0[1]; endif"
	for _, c := range []struct{ most, want int }{{16, 6}, {6, 6}, {5, 5}, {3, 3}, {2, 2}} {
		conditions, leaves, err := Split(parse(t, nested), c.most)
		if err != nil || len(leaves) != c.want {
			t.Errorf("%d: %d leaves, %v", c.most, len(leaves), err)
		}
		for word := range uint32(8) { // each set of constants has exactly one leaf
			at := func(name string) uint32 { return word >> strings.Index("xyz", name[len(name)-1:]) & 1 }
			n := 0
			for _, l := range leaves {
				table := SplitTable{Conditions: conditions, Kernels: []SplitKernel{{File: "it", When: l.When}}}
				if table.Choose(at) == "it" {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%d: %d leaves for %b", c.most, n, word)
			}
		}
	}
}

// TestDecided checks that a leaf equals the kernel exactly for the outcomes of its conditions, and
// that a leaf of another kernel does not.
func TestDecided(t *testing.T) {
	k := parse(t, "lt r1.x, cb0[0].x, l0.w; if_logicalnz r1.x; mul r0, r0, r0; else; add r0, r0, l0.z; endif")
	conditions, leaves, err := Split(k, 16)
	if err != nil {
		t.Fatal(err)
	}
	launches := func(when []Outcome) (list []*kernel.Case) {
		for _, set := range SplitConstants(conditions, when, 3, 1) {
			l := kernel.DefaultCase(k, 1)
			l.Constants[0] = [][4]uint32{{set["cb0[0].x"]}}
			list = append(list, l)
		}
		return list
	}
	for i, leaf := range leaves {
		for j, other := range leaves {
			why := verify.Decided(k, leaf.Kernel, launches(other.When), verify.Options{})
			if (why == "") != (i == j) {
				t.Errorf("%v for %v: %q", leaf.When, other.When, why)
			}
		}
	}
	if why := verify.Decided(k, leaves[0].Kernel, nil, verify.Options{}); why == "" {
		t.Error("it is vouched for without a launch")
	}
}

// TestTable checks that a table keeps its meaning when it is written and read.
func TestTable(t *testing.T) {
	k := parse(t, "lt r1.x, cb0[0].x_neg(x), l0.w; if_logicalnz r1.x; mul r0, r0, r0; endif; iand r1.y, cb0[1].w, l1.z; if_logicalz r1.y; add r0, r0, r0; endif")
	conditions, leaves, err := Split(k, 16)
	if err != nil {
		t.Fatal(err)
	}
	table := SplitTable{Conditions: conditions, Otherwise: "k.il"}
	for i, l := range leaves {
		table.Kernels = append(table.Kernels, SplitKernel{File: fmt.Sprint(i), When: l.When})
	}
	text, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	var again SplitTable
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, x := range []float32{-8, -4, 0, 3} {
		for w := range uint32(4) {
			constant := func(name string) uint32 {
				if name == "cb0[0].x" {
					return math.Float32bits(x)
				}
				return w
			}
			holds := [2]bool{-x < 4, w&2 != 0}
			want := ""
			for i, l := range leaves {
				if l.When[0].Holds == holds[0] && l.When[1].Holds == holds[1] {
					want = fmt.Sprint(i)
				}
			}
			if got := again.Choose(constant); got != want || table.Choose(constant) != want {
				t.Errorf("%v, %d: %s, not %s\n%s", x, w, got, want, text)
			}
			seen[want] = true
		}
	}
	if len(seen) != 4 {
		t.Errorf("not all kernels are chosen: %v", seen)
	}
	again.Conditions[0].Expr.Op = "no such operation"
	if got := again.Choose(func(string) uint32 { return 0 }); got != "k.il" {
		t.Errorf("what cannot be evaluated decides for %s", got)
	}
}
