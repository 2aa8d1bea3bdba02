package r600

import "testing"

// TestOpTable looks for gaps and contradictions in the opcode table.
func TestOpTable(t *testing.T) {
	named := map[string]Op{}
	for op := OpNone + 1; op < numOps; op++ {
		info := &opTable[op]
		if info.name == "" {
			t.Errorf("op %d has no name", op)
			continue
		}
		if other, ok := named[info.name]; ok {
			t.Errorf("%s names %d and %d", info.name, other, op)
		}
		named[info.name] = op
		if op.ThreeSource() != (info.srcs == 3) && !op.Memory() {
			t.Errorf("%s: %d sources, three-source encoding %v", info.name, info.srcs, op.ThreeSource())
		}
		exists, width := false, 0
		for f := R600; f < numFamilies; f++ {
			c := op.Slots(f)
			if c == Absent {
				continue
			}
			if exists && width != c.Width() {
				t.Errorf("%s takes %d slots and %d", info.name, width, c.Width())
			}
			exists, width = true, c.Width()
		}
		if !exists {
			t.Errorf("%s is in no family", info.name)
		}
		if (op.Predicate() || op.Kills() || op.Address()) && !op.OncePerGroup() {
			t.Errorf("%s may be in a group more than once", info.name)
		}
	}
}

// TestSlots spot-checks the slot table where the families differ.
func TestSlots(t *testing.T) {
	for _, tt := range []struct {
		op   Op
		want [3]SlotClass
	}{
		{OpAdd, [3]SlotClass{Any, Any, Any}},
		{OpLShlInt, [3]SlotClass{Trans, Any, Any}},
		{OpFltToInt, [3]SlotClass{Trans, Trans, Vector}},
		{OpMulLoInt, [3]SlotClass{Trans, Trans, Trans}},
		{OpDot4, [3]SlotClass{Quad, Quad, Quad}},
		{OpMulAdd64, [3]SlotClass{Quad, Quad, Absent}},
		{OpFma64, [3]SlotClass{Absent, Absent, Quad}},
		{OpAdd64, [3]SlotClass{Pair, Pair, Pair}},
		{OpBFEUint, [3]SlotClass{Absent, Absent, Vector}},
		{OpMovaGprInt, [3]SlotClass{Trans, Absent, Absent}},
	} {
		for f, want := range tt.want {
			if got := tt.op.Slots(Family(f)); got != want {
				t.Errorf("%s on %s: %s, want %s", tt.op, Family(f), got, want)
			}
		}
	}
}

func TestSwizzles(t *testing.T) {
	seen := map[[3]uint8]bool{}
	for s := Vec012; s <= Vec210; s++ {
		c := s.Cycles()
		if seen[c] || c[0]+c[1]+c[2] != 3 || c[0] == c[1] {
			t.Errorf("%s reads in cycles %v", s, c)
		}
		seen[c] = true
	}
	for s := Scl210; s < numSwizzles; s++ {
		name, c := s.String(), s.Cycles()
		for j := range c {
			if name[4+j] != '0'+c[j] {
				t.Errorf("%s reads in cycles %v", s, c)
			}
		}
	}
}
