package ir

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

// TakeIn keeps the merged lines of an instruction on every path, once for each path: here a sum of sums that
// share a product.
func TestTakeIn(t *testing.T) {
	at := func(line int) *Instr { return &Instr{Pos: asm.Pos{Line: line}} }
	lines := func(in *Instr) (list []int) {
		for o := range in.Also.All() {
			list = append(list, o.Pos.Line)
		}
		slices.Sort(list)
		return list
	}
	mul, left, right, sum := at(1), at(2), at(3), at(4)
	left.TakeIn(mul, "combined")
	left.TakeIn(mul, "combined") // through another operand
	right.TakeIn(mul, "combined")
	sum.TakeIn(left, "combined")
	sum.TakeIn(right, "combined")
	sum.TakeIn(sum, "combined")
	if got := lines(sum); !slices.Equal(got, []int{1, 1, 2, 3}) {
		t.Errorf("the sum is of %v", got)
	}
	copied := *sum
	copied.TakeIn(at(5), "joined")
	if got := lines(sum); len(got) != 4 {
		t.Errorf("what a copy takes in the other one does, too: %v", got)
	}
	if got := lines(left); !slices.Equal(got, []int{1}) {
		t.Errorf("a part of the sum is of %v", got)
	}
}

// A copy of a literal without a register leaves no line where it is read; a copy of a literal in a register
// does.
func TestTakeCopy(t *testing.T) {
	for home, want := range map[Reg]bool{{}: false, {File: 2}: true} {
		mov := &Instr{Op: OpMov, Pos: asm.Pos{Line: 1}, Src: []Operand{{{V: &Value{Kind: Literal, Home: home}}}}}
		in := &Instr{Pos: asm.Pos{Line: 2}}
		if in.TakeCopy(mov, 0, "copy"); (in.Also != nil) != want {
			t.Errorf("home %v: taken in is %v", home, in.Also != nil)
		}
	}
}
