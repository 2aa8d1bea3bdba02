package kernel

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Condition is a condition that depends only on constants.
type Condition struct {
	Line int   `json:"line"` // of the first branch on it
	Expr *Expr `json:"expression"`
	// at are the indices of the statements that test it; decide changes all of them.
	at []int
}

// findConditions returns the conditions of branches of k that depend only on constants, in order. It
// omits branches by switches and by statements with their own comparison.
func findConditions(k *il.Kernel) ([]Condition, error) {
	f, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	var list []Condition
	branches := map[int32]int{} // by statement, because a function may be called more than once
	f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpIf {
			branches[in.Orig]++
		}
	})
	// The text can only be changed if one statement corresponds to one branch; functions with
	// several calls have more.
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpIf || in.Orig < 0 || branches[in.Orig] > 1 {
			return
		}
		switch k.Insts[in.Orig].Op {
		case il.OpIfLogicalNZ, il.OpIfLogicalZ:
		default:
			return
		}
		left := maxNodes
		e := laneExpr(ir.Lane{V: in.Src[0][0].V}, &left)
		if e == nil || len(e.constants(nil)) == 0 {
			return
		}
		// Branches on the same expression share a condition.
		at := slices.IndexFunc(list, func(c Condition) bool { return c.Expr.String() == e.String() })
		if at < 0 {
			at = len(list)
			list = append(list, Condition{Line: k.Insts[in.Orig].Pos.Line, Expr: e})
		}
		list[at].at = append(list[at].at, int(in.Orig))
	})
	return list, nil
}

// decide returns k with the branches on c decided: their words are nonzero if holds.
func decide(k *il.Kernel, c *Condition, holds bool) *il.Kernel {
	// The operand r0.0 or r0.1, whose swizzle is a literal, replaces the word.
	d := *k
	d.Insts = slices.Clone(k.Insts)
	sel := il.Sel0
	if holds {
		sel = il.Sel1
	}
	for _, at := range c.at {
		in := &d.Insts[at]
		in.Src[0] = il.Src{Reg: il.Reg{File: il.Temp}, Swz: il.MakeSwizzle(sel)}
		in.Text = ""
	}
	return &d
}

// Outcome is the value of a condition, by number: whether its word is nonzero.
type Outcome struct {
	Condition int  `json:"condition"`
	Holds     bool `json:"holds"`
}

// Leaf is the specialized kernel for some outcomes.
type Leaf struct {
	When   []Outcome
	Kernel *il.Kernel
}

// Split specializes k for its conditions in order, into at most most leaves. The kernels may still
// test further conditions if there are more. It works breadth first: it splits every leaf once
// before it splits one again.
func Split(k *il.Kernel, most int) (conditions []Condition, leaves []Leaf, err error) {
	queue := []Leaf{{Kernel: k}}
	for len(queue) > 0 {
		leaf := queue[0]
		queue = queue[1:]
		list, err := findConditions(leaf.Kernel)
		if err != nil {
			return nil, nil, err
		}
		if len(list) == 0 || len(leaves)+len(queue)+2 > most {
			leaves = append(leaves, leaf)
			continue
		}
		c := list[0]
		number := slices.IndexFunc(conditions, func(o Condition) bool { return o.Expr.String() == c.Expr.String() })
		if number < 0 {
			number = len(conditions)
			conditions = append(conditions, c)
		}
		for _, holds := range []bool{true, false} {
			when := append(slices.Clone(leaf.When), Outcome{number, holds})
			queue = append(queue, Leaf{when, decide(leaf.Kernel, &c, holds)})
		}
	}
	return conditions, leaves, nil
}

// tries bounds the search for constants with given outcomes.
const tries = 1 << 13

// SplitConstants returns up to most sets of words, by name of constant, for which the conditions have
// the outcomes in when. It draws them pseudorandomly from seed, from the numbers in the conditions,
// their neighbours, and small numbers.
func SplitConstants(conditions []Condition, when []Outcome, most int, seed uint64) (found []map[string]uint32) {
	var names []string
	words := []uint32{0, 1, 2, 3, 5, 8, math.MaxUint32, math.Float32bits(1), math.Float32bits(2), math.Float32bits(7.5),
		math.Float32bits(-1)}
	for _, o := range when {
		e := conditions[o.Condition].Expr
		names = e.constants(names)
		for _, w := range e.words(nil) {
			f := math.Float32frombits(w)
			words = append(words, w, w+1, w-1, math.Float32bits(f+1), math.Float32bits(f-1), math.Float32bits(float32(w)))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	r := rand.New(rand.NewPCG(seed, 1))
	// Rejection sampling.
	for range tries {
		if len(found) == most {
			break
		}
		set := map[string]uint32{}
		for _, name := range names {
			set[name] = words[r.IntN(len(words))]
		}
		fits := true
		for _, o := range when {
			w, known := conditions[o.Condition].Expr.eval(func(name string) uint32 { return set[name] })
			fits = fits && known && (w != 0) == o.Holds
		}
		if fits {
			found = append(found, set)
		}
	}
	return found
}
