package sim

import (
	"context"
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// TestMemo checks that a memo returns the results of simulations, for programs, launches and
// targets that differ in one to three properties.
func TestMemo(t *testing.T) {
	targets := []*chip.Target{machinetest.Target(t, "rv670"), machinetest.Target(t, "r600")}
	launch := func(r *rand.Rand) *Launch {
		l := &Launch{Width: 32, Height: 16, Inputs: append(pixelInputs, chip.Preload{Reg: 7}), MaxTrips: 6,
			Constants: [][][4]uint32{{{math.Float32bits(5)}}},
			Resources: map[int]Surface{0: {Width: 64, Height: 16, Bytes: 16},
				1: {Width: 16, Height: 64, Bytes: 16, unnormal: true}, 2: {Width: 4096, Height: 1, Bytes: 4, Linear: true}}}
		switch r.IntN(20) {
		case 0:
			l.Width = 48
		case 1:
			l.Height = 8
		case 2:
			l.MaxTrips = 3
		case 3:
			l.Constants[0][0][0] = math.Float32bits(4)
		case 4:
			l.Limit = 50
		case 5:
			l.Seed = 2
		case 6:
			l.Resources[1] = Surface{Width: 64, Height: 64, Bytes: 16, unnormal: true}
		}
		return l
	}
	var memo Memo
	r := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range 1200 {
		p, l, m := dotLoop(hwConst(0, 0)), launch(r), targets[r.IntN(40)/39]
		for range 1 + r.IntN(3) {
			mutate(p, r)
		}
		want, err := Simulate(p, l, m)
		if err != nil {
			continue
		}
		before := len(memo.times)
		got, err := memo.Simulate(p, l, m)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v (%v), not %+v:\n%s", got, err, want, r600.Print(p))
		}
		if len(memo.times) == before {
			hits++
		}
	}
	if hits < 100 {
		t.Errorf("%d hits", hits)
	}
}

// TestMemoIsBounded checks that a memo keeps a bounded number of results.
func TestMemoIsBounded(t *testing.T) {
	var memo Memo
	for i := range maxRemembered + 10 {
		memo.keep([sha256.Size]byte{byte(i), byte(i >> 8)}, remembered{})
	}
	if n := len(memo.times); n == 0 || n > maxRemembered {
		t.Errorf("%d results kept", len(memo.times))
	}
}

// mutate changes a random property of a program.
func mutate(p *r600.Program, r *rand.Rand) {
	cf := &p.CF[r.IntN(len(p.CF))]
	switch {
	case cf.Export != nil:
		cf.Export.Count = 1 + r.IntN(2)
	case len(cf.Fetches) > 0:
		f := &cf.Fetches[r.IntN(len(cf.Fetches))]
		switch r.IntN(7) {
		case 0:
			f.Offset[r.IntN(2)] = int8(2 * r.IntN(3))
		case 1:
			f.Resource = r.IntN(3)
		case 2:
			f.Dst = r.IntN(8)
		case 3:
			f.Src = r.IntN(8)
		case 4:
			f.SrcSel[r.IntN(2)] = r600.Sel(r.IntN(6))
		case 5:
			f.Unnormal = !f.Unnormal
		default:
			f.DstSel[r.IntN(4)] = r600.Sel(r.IntN(7))
		}
	case len(cf.Groups) > 0:
		g := &cf.Groups[r.IntN(len(cf.Groups))]
		if r.IntN(4) == 0 {
			cf.Groups = append([]r600.Group{hwGroup(hwOp(r600.OpMov, r.IntN(8), uint8(r.IntN(2)), hwReg(r.IntN(8), 0)))},
				cf.Groups...)
			return
		}
		for _, inst := range g.Slots {
			if inst != nil && r.IntN(2) == 0 {
				src := &inst.Src[r.IntN(inst.Op.Sources())]
				switch r.IntN(4) {
				case 0:
					*src = hwReg(r.IntN(8), uint8(r.IntN(2)))
				case 1:
					*src = hwFloat(float32(r.IntN(4)))
				case 2:
					src.Neg = !src.Neg
				default:
					inst.OMod = r600.OMod(r.IntN(3))
				}
			}
		}
	default:
		p.GPRs = 1 + r.IntN(140)
	}
}

// TestMemoBudget checks that a known result is charged its original steps. It is not returned if
// the budget has fewer.
func TestMemoBudget(t *testing.T) {
	m := machinetest.Target(t, "rv670")
	var memo Memo
	var used [2]int64
	for i := range used {
		b := budget.New(context.Background(), 1<<20, 1<<20)
		l := &Launch{Width: 64, Height: 64, Inputs: pixelInputs, Budget: b}
		if _, err := memo.Simulate(dotLoop(hwFloat(4)), l, m); err != nil {
			t.Fatal(err)
		}
		used[i], _ = b.Used()
	}
	if used[0] == 0 || used[0] != used[1] {
		t.Errorf("%d steps, then %d", used[0], used[1])
	}
	l := &Launch{Width: 64, Height: 64, Inputs: pixelInputs, Budget: budget.New(context.Background(), used[0]/2, 1<<20)}
	if _, err := memo.Simulate(dotLoop(hwFloat(4)), l, m); !budget.IsExhausted(err) {
		t.Errorf("with half of it: %v", err)
	}
}
