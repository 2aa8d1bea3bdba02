package kernel

import (
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/passes"
)

// TestContent checks that versions differ by their statements, not by their spelling.
func TestContent(t *testing.T) {
	read := func(text string) Content {
		k, err := il.Parse("test.il", []byte("il_ps_2_0\n"+text+"end\n"))
		if err != nil {
			t.Fatal(err)
		}
		return ContentOf(k)
	}
	first := read("mov r0, cb0[0]\nmov o0, r0\n")
	if first != read("; a comment\nmov   r0,cb0[0]\n\nmov o0, r0 ; another\n") {
		t.Error("a comment makes another version")
	}
	for _, other := range []string{"mov r0, cb0[1]\nmov o0, r0\n", "mov o0, r0\nmov r0, cb0[0]\n", "mov r0, cb0[0]\n"} {
		if first == read(other) {
			t.Errorf("%s is taken for something else", other)
		}
	}
}

// TestFloor checks that a version is not simulated if the load of its vector units exceeds the time of
// the best version.
func TestFloor(t *testing.T) {
	b := &Bench{store: newStore()}
	u := &passes.Unit{Kernel: lifted(t, "il_ps_2_0\nmov r0, cb0[0]\nmov o0, r0\nend\n")}
	s := search{b: b, work: 100, main: &Timed{load: load{alu: 5000}}, least: 8000}
	for alu, want := range map[float64]float64{0: 0, 100: 5000, 200: 10000} {
		b.store.unit(u).lowered = cell{Price{alu: alu}, true}
		if got := s.floor(&passes.Plan{Unit: u}); got != want {
			t.Errorf("vector units are busy for %v cycles with %v to do, want %v", got, alu, want)
		}
	}
	p := &passes.Plan{Unit: u, Report: passes.Report{Stats: []passes.Stat{{Outcome: passes.Changed}}}}
	b.store.unit(u).lowered = cell{Price{alu: 200}, true}
	if s.enter(p) != nil || len(s.plans) != 0 {
		t.Error("a version that cannot be the best one is entered")
	}
}

// TestBranchesOf checks that branches within loops and branches count too.
func TestBranchesOf(t *testing.T) {
	f := lifted(t, `il_ps_2_0
mov r0, cb0[0]
whileloop
break_logicalz r0.x
if_logicalnz r0.y
if_logicalz r0.z
mov r0.w, r0.x
else
mov r0.w, r0.y
endif
endif
iadd r0.x, r0.x, cb0[1].x
endloop
if_logicalnz r0.w
mov r0.y, r0.x
endif
mov o0, r0
end
`)
	if n := branchesOf(f); n != 3 {
		t.Errorf("%d branches, want 3", n)
	}
}

// TestRecent checks that only the most recently compiled versions are cached, and fewer if they are large.
func TestRecent(t *testing.T) {
	for _, test := range []struct{ ops, versions int }{{1, recentVersions}, {recentOps / 3, 3}, {2 * recentOps, 1}} {
		var r recent
		for i := range byte(20) {
			r.add(compiled{Content{i}, &sched.Scheduled{Stats: sched.Stats{Ops: test.ops}}})
			for j := range byte(20) {
				if got, want := r.find(Content{j}) != nil, j <= i && int(i-j) < test.versions; got != want {
					t.Fatalf("%d operations: after version %d, %d is found: %v", test.ops, i, j, got)
				}
			}
		}
	}
}

func lifted(t *testing.T, text string) *ir.Func {
	t.Helper()
	k, err := il.Parse("test.il", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSaturated checks that the search ends if the level's result saturates a unit with no more load
// than in the input. It continues if fetches take longer than before.
func TestSaturated(t *testing.T) {
	before := load{alu: 500, fetch: 900, memory: 300}
	for _, test := range []struct {
		main   load
		cycles float64
		want   bool
	}{
		{load{alu: 300, fetch: 900, memory: 300}, 910, true},
		{load{alu: 300, fetch: 900, memory: 300}, 1000, false}, // no faster
		{load{alu: 300, fetch: 850, memory: 300}, 910, false},  // it waits for another unit
		{load{alu: 300, fetch: 980, memory: 300}, 990, false},  // cache hits are rarer
		{load{alu: 890, fetch: 300, memory: 300}, 900, true},   // estimates know this load
		{load{alu: 100, fetch: 100, memory: 301}, 305, true},
		{load{alu: 100, fetch: 100, memory: 400}, 405, false},
	} {
		s := search{b: &Bench{load: before}, before: &Cost{Cycles: 1000},
			main: &Timed{load: test.main, Cost: Cost{Cycles: test.cycles}}}
		if got := s.saturated(); got != test.want {
			t.Errorf("%v of %v cycles, of an input with %v of 1000: saturated is %v", test.main, test.cycles, before, got)
		}
	}
}

// TestBranchy checks that there is no prologue if the level removes costly branches and arithmetic is
// then the bottleneck.
func TestBranchy(t *testing.T) {
	for _, test := range []struct {
		stage      string
		after      int
		cycles     float64
		bottleneck string
		want       bool
	}{
		{"if-convert", 90, 900, "alu", true},
		{"if-convert", 97, 900, "alu", false},
		{"if-convert", 90, 970, "alu", false},
		{"if-convert", 90, 900, "fetch", false},
		{"unroll", 90, 900, "alu", false},
	} {
		p := &passes.Plan{Report: passes.Report{Stats: []passes.Stat{{Stage: test.stage, Before: passes.Cost{100},
			After: passes.Cost{test.after}}}}}
		s := search{before: &Cost{Cycles: 1000},
			main: &Timed{Cost: Cost{Cycles: test.cycles, Bottleneck: test.bottleneck}}}
		if got := s.branchy(p); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestEstimated checks that an estimate uses the best ratio among the known versions: others may wait
// for reasons that their estimates do not cover.
func TestEstimated(t *testing.T) {
	version := func(cycles, price float64, bound string) known {
		return known{&Cost{Cycles: cycles, Bottleneck: bound}, price}
	}
	s := search{b: &Bench{}, known: []known{version(1000, 100, "alu"), version(1200, 80, "alu")}}
	if got := s.estimated(90); got != 900 {
		t.Errorf("estimated to take %v cycles, want those of the first version, 900", got)
	}
	s.known = append(s.known, version(600, 75, "alu"))
	if got := s.estimated(90); got != 720 {
		t.Errorf("estimated to take %v cycles, want those of the last version, 720", got)
	}
	if got := s.slack(); got != placement {
		t.Errorf("versions that estimates have a factor of %v apart may change places", got)
	}
	s.known = append(s.known, version(900, 75, "fetch"))
	if got := s.slack(); got != hits {
		t.Errorf("versions that estimates have a factor of %v apart may change places where fetches decide", got)
	}
	s.known, s.b.pricer.still = s.known[:1], true
	if got := s.estimated(90); got != 0 {
		t.Errorf("without estimates %v cycles", got)
	}
}
