package sched

import (
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// TestResultsThatCompete has a dot product that an export needs in two channels. A store needs one
// of these next to the results of a fetch, which has taken the others.
func TestResultsThatCompete(t *testing.T) {
	k, err := il.Parse("test.il", []byte(`il_ps_2_0
dcl_output_generic o0
dcl_cb cb0[2]
dcl_resource_id(0)_type(2d)_fmtx(unknown)_fmty(unknown)_fmtz(unknown)_fmtw(unknown)
dcl_raw_uav_id(1)
mov r1, cb0[0]
sample_resource(0)_sampler(0) r0, cb0[1].xyxy
dp2add r0.x_z_, r1, r1, r0
uav_raw_store_id(1) mem, r1.x, r0
mov o0, r0
end
`))
	machinetest.Must(t, err)
	f, err := amdil.Lift(k)
	machinetest.Must(t, err)
	target, err := chip.ByName("cypress")
	machinetest.Must(t, err)
	c, err := lower.Kernel(f, target)
	machinetest.Must(t, err)
	s, err := newSchedule(c, target, Options{})
	machinetest.Must(t, err)
	machinetest.Must(t, machinetest.Obeys(s.Program, target))
	same(t, s)
}

// TestSpread checks that results of a reduction are spread over the channels if that is possible.
func TestSpread(t *testing.T) {
	for _, test := range []struct {
		name     string
		channels [4]int // of the results, noResult if there is none
		moves    int
	}{
		{"open", [4]int{mir.AnyChan, mir.AnyChan, mir.AnyChan, mir.AnyChan}, 0},
		{"the open one gives way", [4]int{mir.AnyChan, 0, noResult, noResult}, 0},
		{"two in one", [4]int{2, noResult, 2, noResult}, 1},
		{"all in one", [4]int{1, 1, 1, 1}, 3},
		{"two in one beside others", [4]int{3, 3, mir.AnyChan, 0}, 1},
	} {
		c := mir.NewCode(test.name)
		in := c.Input(0, 0)
		u := &mir.ALU{Slots: make([]mir.Slot, 4)}
		results := mir.Region{u}
		for i, ch := range test.channels {
			u.Slots[i] = mir.Slot{Op: r600.OpDot4, Args: [3]mir.Arg{mir.V(in), mir.V(in)}}
			if ch != noResult {
				u.Slots[i].Dst = c.NewValAt(ch)
			}
		}
		for i := range u.Slots {
			if v := u.Slots[i].Dst; v != 0 {
				out := c.NewVal()
				if !c.TieExport([4]mir.Val{out}) {
					t.Fatal("not tied")
				}
				results = append(results, single(r600.OpAdd, out, mir.V(v), mir.V(in)), &mir.Export{Regs: [][4]mir.Val{{out}}})
			}
		}
		c.Body = results
		target, err := chip.ByName("rv770")
		machinetest.Must(t, err)
		s, err := newSchedule(c, target, Options{})
		machinetest.Must(t, err)
		machinetest.Must(t, machinetest.Obeys(s.Program, target))
		same(t, s)
		adds := (len(results) - 1) / 2
		if moves := s.Stats.Ops - 4 - adds; moves != test.moves {
			t.Errorf("%s: %d moves, not %d", test.name, moves, test.moves)
		}
	}
}

const noResult = -2
