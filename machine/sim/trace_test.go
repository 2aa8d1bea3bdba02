package sim

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// Hand-written hardware programs.

func hwReg(reg int, ch uint8) r600.Src {
	return r600.Src{Kind: r600.SrcGPR, Index: int32(reg), Chan: ch}
}
func hwPV(ch uint8) r600.Src     { return r600.Src{Kind: r600.SrcPV, Chan: ch} }
func hwWord(w uint32) r600.Src   { return r600.Src{Kind: r600.SrcLiteral, Bits: w} }
func hwFloat(f float32) r600.Src { return hwWord(math.Float32bits(f)) }
func hwConst(i int, ch uint8) r600.Src {
	return r600.Src{Kind: r600.SrcConst, Index: int32(i), Chan: ch}
}

// hwOp writes a register channel; a register of -1 is a result that only PV carries.
func hwOp(o r600.Op, reg int, ch uint8, srcs ...r600.Src) *r600.Inst {
	in := &r600.Inst{Op: o, Dst: r600.Dst{Kind: r600.DstGPR, Index: int32(reg), Chan: ch}}
	if reg < 0 {
		in.Dst = r600.Dst{Chan: ch}
	}
	copy(in.Src[:], srcs)
	return in
}

func hwGroup(insts ...*r600.Inst) (g r600.Group) {
	for _, in := range insts {
		g.Slots[in.Dst.Chan] = in
	}
	return g
}

func hwClause(o r600.CFOp, groups ...r600.Group) r600.CF { return r600.CF{Op: o, Groups: groups} }

func hwSample(resource, dst, from int, x, y r600.Sel) r600.Fetch {
	return r600.Fetch{Op: r600.FetchSample, Dst: dst, Src: from, Resource: resource, Unnormal: true,
		DstSel: [4]r600.Sel{r600.SelX, r600.SelY, r600.SelZ, r600.SelW}, SrcSel: [4]r600.Sel{x, y, r600.SelZero,
			r600.SelZero}}
}

var pixelInputs = []chip.Preload{{Holds: chip.PositionX}, {Chan: 1, Holds: chip.PositionY}}

// dotLoop returns a loop as in a matrix product: R3.z += A(k, y) * B(y, k) for k below a bound.
func dotLoop(bound r600.Src) *r600.Program {
	return &r600.Program{Family: r600.R600, GPRs: 6, CF: []r600.CF{
		hwClause(r600.CFALU, hwGroup(hwOp(r600.OpMov, 1, 0, hwFloat(0)), hwOp(r600.OpMov, 1, 1, hwReg(0, 1)),
			hwOp(r600.OpMov, 3, 2, hwWord(0)))),
		{Op: r600.CFLoop, Target: 5},
		hwClause(r600.CFALUBreak,
			hwGroup(hwOp(r600.OpSetGEDX10, -1, 2, hwReg(1, 0), bound)),
			hwGroup(hwOp(r600.OpPredSetEInt, -1, 0, hwPV(2), hwWord(0)))),
		{Op: r600.CFTex, Fetches: []r600.Fetch{hwSample(0, 4, 1, r600.SelX, r600.SelY),
			hwSample(1, 5, 1, r600.SelY, r600.SelX)}},
		hwClause(r600.CFALU,
			hwGroup(hwOp(r600.OpMulAdd, 3, 2, hwReg(4, 0), hwReg(5, 0), hwReg(3, 2)),
				hwOp(r600.OpAdd, 1, 0, hwReg(1, 0), hwFloat(1)))),
		{Op: r600.CFEndLoop, Target: 1},
		{Op: r600.CFExportDone, Export: &r600.Export{Reg: 3, Count: 1}},
		{Op: r600.CFEnd},
	}}
}

func stepsOf(t *testing.T, p *r600.Program, l *Launch, wave int) []Step {
	t.Helper()
	tr, err := NewTracer(p, l, machinetest.Target(t, "rv670"))
	machinetest.Must(t, err)
	w := tr.Start(wave)
	var out []Step
	var s Step
	for w.Next(&s) {
		out = append(out, s)
		if len(out) > 100_000 {
			t.Fatal("endless")
		}
	}
	return out
}

func kinds(steps []Step) (n map[StepKind]int) {
	n = map[StepKind]int{}
	for _, s := range steps {
		n[s.Kind]++
	}
	return n
}

func TestTraceOfALoop(t *testing.T) {
	p := dotLoop(hwConst(0, 0))
	l := &Launch{Width: 16, Height: 16, Inputs: pixelInputs,
		Constants: [][][4]uint32{{{math.Float32bits(5)}}},
		Resources: map[int]Surface{0: {Width: 8, Height: 16, Bytes: 16}, 1: {Width: 16, Height: 8, Bytes: 16}}}
	all := stepsOf(t, p, l, 3)
	n := kinds(all)
	if n[StepFetch] != 10 || n[StepExport] != 1 || n[StepALU] != 1+6+5 {
		t.Errorf("steps %v: want 5 trips of two fetches, 12 ALU clauses and an export", n)
	}
	// The lanes of wavefront 3 are at x and y of 8 to 15; in trip k they read column k of A.
	layoutOf := []Surface{{Width: 8, Height: 16, Bytes: 16}, {Width: 16, Height: 8, Bytes: 16}}
	layout(layoutOf, machinetest.Target(t, "rv670"))
	layoutOf[0].tiles()
	k := 0
	for _, s := range all {
		if s.Kind != StepFetch || s.Last {
			continue
		}
		for lane := range 64 {
			_, y := quadLane(lane)
			if want := uint32((layoutOf[0].base +
				layoutOf[0].texelOffset(uint32(k), uint32(8+y))) / 64); s.Lines.line[lane] != want {
				t.Fatalf("trip %d, lane %d reads line %d, want %d", k, lane, s.Lines.line[lane], want)
			}
		}
		k++
	}
}

// TestCount checks that a wavefront takes the same steps if fetches are only counted. Lines are
// computed only for uncached fetches and for fetches that another fetch of the clause or the loop's
// end depends on.
func TestCount(t *testing.T) {
	p := dotLoop(hwReg(6, 0))
	list := &p.CF[3].Fetches
	global := hwSample(0, 7, 1, r600.SelX, r600.SelY)
	global.Op, global.Scale = r600.FetchReadGlobal, 16
	*list = append(*list, hwSample(0, 6, 1, r600.SelX, r600.SelY), hwSample(1, 8, 6, r600.SelX, r600.SelY), global)
	l := &Launch{Width: 16, Height: 16, Inputs: pixelInputs, MaxTrips: 7,
		Resources: map[int]Surface{0: {Width: 8, Height: 16, Bytes: 16}, 1: {Width: 16, Height: 8, Bytes: 16}}}
	tr, err := NewTracer(p, l, machinetest.Target(t, "rv670"))
	machinetest.Must(t, err)
	tr.Count()
	all, w := stepsOf(t, p, l, 3), tr.Start(3)
	var s Step
	fetch, without := 0, 0
	for i := range all {
		if !w.Next(&s) {
			t.Fatalf("ends after %d steps of %d", i, len(all))
		}
		want := all[i]
		if s.Kind == StepFetch {
			if k := fetch % len(*list); k == 0 || k == 1 || k == 3 { // only the sum reads R4, R5 and R8
				want.Lines.line = [chip.MaxWave]uint32{}
				without++
			}
			fetch++
		}
		if s != want {
			t.Fatalf("step %d: %+v, want %+v", i, s, want)
		}
	}
	if w.Next(&s) || without == 0 {
		t.Errorf("does not end; %d fetches without lines", without)
	}
}

// TestSliceLeavesTheRestOut checks that only operations that decide addresses and conditions are
// evaluated: not the sum of products.
func TestSliceLeavesTheRestOut(t *testing.T) {
	p := dotLoop(hwConst(0, 0))
	l := &Launch{Width: 8, Height: 8, Inputs: pixelInputs}
	tr, err := NewTracer(p, l, machinetest.Target(t, "rv670"))
	machinetest.Must(t, err)
	ops := map[r600.Op]int{}
	for _, c := range tr.clauses {
		for _, o := range c.ops {
			if o.kind == opCompute {
				ops[o.op]++
			}
		}
	}
	want := map[r600.Op]int{r600.OpMov: 2, r600.OpSetGEDX10: 1, r600.OpPredSetEInt: 1, r600.OpAdd: 1}
	for o, n := range want {
		if ops[o] != n {
			t.Errorf("%v evaluated %d times, want %d", o, ops[o], n)
		}
	}
	if ops[r600.OpMulAdd] != 0 {
		t.Error("the sum of products is evaluated")
	}
	if len(tr.notes()) != 0 {
		t.Errorf("notes %q", tr.notes())
	}
}

// TestDivergentLoop checks that lanes leave a loop one by one: thread x runs while k < x + 0.5.
func TestDivergentLoop(t *testing.T) {
	l := &Launch{Width: 8, Height: 8, Inputs: pixelInputs}
	requests, fetches := 0, 0
	for _, s := range stepsOf(t, dotLoop(hwReg(0, 0)), l, 0) {
		if s.Kind == StepFetch {
			fetches++
			requests += bits.OnesCount64(s.Lines.Mask)
		}
		if s.Kind == StepExport && s.Lines.Mask != ^uint64(0) {
			t.Error("lanes are missing after the loop")
		}
	}
	// Columns 0 to 7 make 1 to 8 trips, 8 threads each, two fetches.
	if fetches != 16 || requests != 2*8*(1+2+3+4+5+6+7+8) {
		t.Errorf("%d fetches of %d texels", fetches, requests)
	}
}

// branchKernel returns a kernel that fetches one texture where x < 3 and another elsewhere.
func branchKernel() *r600.Program {
	return &r600.Program{Family: r600.R600, GPRs: 3, CF: []r600.CF{
		hwClause(r600.CFALUPushBefore, hwGroup(hwOp(r600.OpPredSetGT, -1, 0, hwFloat(3), hwReg(0, 0)))),
		{Op: r600.CFJump, Target: 3},
		{Op: r600.CFTex, Fetches: []r600.Fetch{hwSample(0, 1, 0, r600.SelX, r600.SelY)}},
		{Op: r600.CFElse, Target: 5, Pop: 1},
		{Op: r600.CFTex, Fetches: []r600.Fetch{hwSample(1, 1, 0, r600.SelX, r600.SelY)}},
		{Op: r600.CFPop, Pop: 1},
		{Op: r600.CFExportDone, Export: &r600.Export{Reg: 1, Count: 1}},
	}}
}

func TestBranches(t *testing.T) {
	l := &Launch{Width: 16, Height: 8, Inputs: pixelInputs}
	for wave, want := range [][]int{{24, 40}, {64}} {
		var got []int
		for _, s := range stepsOf(t, branchKernel(), l, wave) {
			switch s.Kind {
			case StepFetch:
				got = append(got, bits.OnesCount64(s.Lines.Mask))
			case StepExport:
				if s.Lines.Mask != ^uint64(0) {
					t.Errorf("wavefront %d: lanes are missing after the branch", wave)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("wavefront %d: active lanes %v, want %v", wave, got, want)
		}
	}
}

func TestDomainsThatDoNotFill(t *testing.T) {
	l := &Launch{Width: 4, Height: 2, Inputs: pixelInputs}
	for _, s := range stepsOf(t, dotLoop(hwFloat(1)), l, 0) {
		if s.Kind == StepFetch && bits.OnesCount64(s.Lines.Mask) != 8 {
			t.Errorf("%d lanes fetch, want 8", bits.OnesCount64(s.Lines.Mask))
		}
	}
}

func TestNotesSayWhatWasAssumed(t *testing.T) {
	chain := &r600.Program{Family: r600.R600, GPRs: 2, CF: []r600.CF{
		{Op: r600.CFTex, Fetches: []r600.Fetch{hwSample(0, 1, 0, r600.SelX, r600.SelY)}},
		{Op: r600.CFTex, Fetches: []r600.Fetch{hwSample(0, 1, 1, r600.SelX, r600.SelY)}},
		{Op: r600.CFExportDone, Export: &r600.Export{Reg: 1, Count: 1}},
	}}
	l := &Launch{Width: 8, Height: 8, Inputs: pixelInputs, MaxTrips: 20}
	m := machinetest.Target(t, "rv670")
	r, err := Simulate(chain, l, m)
	machinetest.Must(t, err)
	if len(r.Notes) != 1 || r.Notes[0][:9] != "addresses" {
		t.Errorf("a dependent fetch: notes %q", r.Notes)
	}
	// The second clause waits for the first.
	if r.Cycles < m.MemoryLatency+m.L1Latency {
		t.Errorf("two fetches, the second at an address that the first delivers, take %.0f cycles", r.Cycles)
	}
	r, err = Simulate(dotLoop(hwFloat(1e9)), l, m)
	machinetest.Must(t, err)
	if len(r.Notes) != 1 || r.Notes[0] != "a loop was left after 20 trips" || r.Fetches != 40 {
		t.Errorf("an endless loop: notes %q, %v fetches", r.Notes, r.Fetches)
	}
}

func TestComputeThreads(t *testing.T) {
	p := &r600.Program{Family: r600.Evergreen, GPRs: 1, CF: []r600.CF{{Op: r600.CFEnd}}}
	tr, err := NewTracer(p, &Launch{Group: [3]int{10, 10, 1}, Groups: [3]int{3, 2, 1}}, machinetest.Target(t, "cypress"))
	machinetest.Must(t, err)
	if tr.waves != 12 || tr.perGroup != 2 {
		t.Fatalf("%d wavefronts, %d a group", tr.waves, tr.perGroup)
	}
	total := 0
	for id := range tr.waves {
		total += bits.OnesCount64(tr.threadsOf(id))
	}
	if total != 600 {
		t.Errorf("%d threads, want 600", total)
	}
	// Thread 70 of the fifth group, which is the second of the second row.
	for b, want := range map[chip.Builtin]uint32{chip.ThreadInGroupX: 0, chip.ThreadInGroupY: 7,
		chip.ThreadInGroupFlat: 70, chip.GroupX: 1, chip.GroupY: 1,
		chip.GroupFlat: 4, chip.ThreadX: 10, chip.ThreadY: 17, chip.ThreadFlat: 470} {
		if got := tr.builtin(b, 9, 6); got != want {
			t.Errorf("builtin %d = %d, want %d", b, got, want)
		}
	}
}

func TestLaunchesThatCannotBe(t *testing.T) {
	m := machinetest.Target(t, "rv670")
	for name, l := range map[string]*Launch{
		"no domain":      {},
		"no groups":      {Group: [3]int{64, 1, 1}},
		"empty resource": {Width: 8, Height: 8, Resources: map[int]Surface{0: {}}},
	} {
		if _, err := Simulate(dotLoop(hwFloat(1)), l, m); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Simulate(&r600.Program{CF: []r600.CF{{Op: r600.CFBreak}}}, &Launch{Width: 1, Height: 1}, m); err == nil {
		t.Error("a break outside a loop: no error")
	}
}

// TestEvaluations compares operations with results derived from the documents, not from the code.
func TestEvaluations(t *testing.T) {
	f := math.Float32bits
	evals := evals()
	for _, c := range []struct {
		op         r600.Op
		a, b, c, w uint32
	}{
		{r600.OpAdd, f(1.5), f(2), 0, f(3.5)},
		{r600.OpMul, f(0), f(float32(math.Inf(1))), 0, 0},
		{r600.OpMulAdd, f(2), f(3), f(4), f(10)},
		{r600.OpFract, f(-0.25), 0, 0, f(0.75)},
		{r600.OpRndNE, f(2.5), 0, 0, f(2)},
		{r600.OpSetGT, f(2), f(1), 0, f(1)},
		{r600.OpSetGEDX10, f(2), f(2), 0, ^uint32(0)},
		{r600.OpCndE, f(0), 7, 9, 7},
		{r600.OpCndGEInt, 0xFFFFFFFF, 7, 9, 9},
		{r600.OpFltToInt, f(-2.9), 0, 0, 0xFFFFFFFE},
		{r600.OpFltToInt, f(3e9), 0, 0, 0x7FFFFFFF},
		{r600.OpFltToUint, f(-1), 0, 0, 0},
		{r600.OpIntToFlt, 0xFFFFFFFF, 0, 0, f(-1)},
		{r600.OpUintToFlt, 0x80000000, 0, 0, f(1 << 31)},
		{r600.OpAShrInt, 0x80000000, 33, 0, 0xC0000000},
		{r600.OpMulHiInt, 0xFFFFFFFF, 2, 0, 0xFFFFFFFF},
		{r600.OpMulHiUint, 0x80000000, 2, 0, 1},
		{r600.OpRecipUint, 2, 0, 0, 0x80000000},
		{r600.OpBFEUint, 0xABCD, 8, 4, 0xB},
		{r600.OpBFEInt, 0x0F00, 8, 4, 0xFFFFFFFF},
		{r600.OpBFIInt, 0xFF00, 0x1234, 0x5678, 0x1278},
		{r600.OpBitAlignInt, 1, 0x80000000, 31, 3},
		{r600.OpMinDX10, f(1), f(-1), 0, f(-1)},
	} {
		if got := evals[c.op](c.a, c.b, c.c); got != c.w {
			t.Errorf("%v %#x %#x %#x = %#x, want %#x", c.op, c.a, c.b, c.c, got, c.w)
		}
	}
}

// TestReduction decides a coordinate by a dot product over PV, with modifiers.
func TestReduction(t *testing.T) {
	p := &r600.Program{Family: r600.R600, GPRs: 2, CF: []r600.CF{
		hwClause(r600.CFALU,
			hwGroup(hwOp(r600.OpAdd, -1, 0, hwReg(0, 0), hwFloat(0.5)), hwOp(r600.OpMov, -1, 1, hwFloat(-3))),
			hwGroup(hwOp(r600.OpDot4, 1, 0, hwPV(0), hwFloat(2)),
				hwOp(r600.OpDot4, -1, 1, r600.Src{Kind: r600.SrcPV, Chan: 1, Neg: true}, hwFloat(1)),
				hwOp(r600.OpDot4, -1, 2, hwWord(0), hwWord(0)), hwOp(r600.OpDot4, -1, 3, hwWord(0), hwWord(0)))),
		{Op: r600.CFTex, Fetches: []r600.Fetch{hwSample(0, 1, 1, r600.SelX, r600.SelZero)}},
		{Op: r600.CFExportDone, Export: &r600.Export{Reg: 1, Count: 1}},
	}}
	l := &Launch{Width: 8, Height: 8, Inputs: pixelInputs,
		Resources: map[int]Surface{0: {Width: 64, Height: 1, Bytes: 16, Linear: true}}}
	for _, s := range stepsOf(t, p, l, 0) {
		if s.Kind != StepFetch {
			continue
		}
		for lane := range 64 {
			x, _ := quadLane(lane)
			texel := 2*(x+1) + 3 // (x + 0.5 + 0.5)*2 + 3
			if want := uint32((pageSize + 16*texel) / 64); s.Lines.line[lane] != want {
				t.Errorf("x = %d reads line %d, want %d", x, s.Lines.line[lane], want)
			}
		}
	}
}

func BenchmarkTrace(b *testing.B) {
	p := dotLoop(hwConst(0, 0))
	l := &Launch{Width: 1024, Height: 1024, Inputs: pixelInputs, Constants: [][][4]uint32{{{math.Float32bits(1024)}}}}
	tr, err := NewTracer(p, l, machinetest.Target(b, "rv670"))
	machinetest.Must(b, err)
	var s Step
	n := 0
	for b.Loop() {
		for w := tr.Start(100); w.Next(&s); n++ {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/step")
}
