package verify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// A group reverses its elements in local memory, and adds an element to each.
const (
	groupHead = `il_cs_2_0; dcl_num_thread_per_group 64; dcl_lds_id(1) 256; dcl_raw_uav_id(0); dcl_raw_uav_id(1)
		dcl_literal l0, 4, 63, 32, 128; dcl_literal l1, 1.0, 2.0, 0.5, 0.0;`
	groupBegin = `ishl r1.x, vTidInGrpFlat.x, l2.x; ishl r2.x, vaTidFlat.x, l2.x; uav_raw_load_id(0) r3.x, r2.x; lds_store_id(1) r1.x, r3.x;`
	groupEnd   = `inegate r4.x, r1.x; iadd r4.x, r4.x, l2.y; lds_load_id(1) r5.x, r4.x; lds_load_id(1) r6.x, l2.z
		add r5.x, r5.x, r6.x; uav_raw_store_id(1) mem0.x, r2.x, r5.x; end`
	reversed = groupHead + "dcl_literal l2, 2, 252, 20, 0;" + groupBegin + "fence_threads_lds;" + groupEnd
)

// The same for two invocations: t and t+32.
const reversed2 = `il_cs_2_0; dcl_num_thread_per_group 32; dcl_lds_id(1) 256; dcl_raw_uav_id(0); dcl_raw_uav_id(1)
	dcl_literal l0, 4, 63, 32, 128; dcl_literal l1, 1.0, 2.0, 0.5, 0.0; dcl_literal l2, 2, 252, 20, 124
	imad r0.x, vThreadGrpIdFlat.x, l0.z, vaTidFlat.x
	ishl r1.x, vTidInGrpFlat.x, l2.x; iadd r11.x, r1.x, l0.w; ishl r2.x, r0.x, l2.x; iadd r12.x, r2.x, l0.w
	uav_raw_load_id(0) r3.x, r2.x; lds_store_id(1) r1.x, r3.x; uav_raw_load_id(0) r13.x, r12.x; lds_store_id(1) r11.x, r13.x
	fence_threads_lds
	inegate r4.x, r1.x; iadd r14.x, r4.x, l2.w; iadd r4.x, r4.x, l2.y; lds_load_id(1) r6.x, l2.z
	lds_load_id(1) r5.x, r4.x; add r5.x, r5.x, r6.x; uav_raw_store_id(1) mem0.x, r2.x, r5.x
	lds_load_id(1) r15.x, r14.x; add r15.x, r15.x, r6.x; uav_raw_store_id(1) mem0.x, r12.x, r15.x; end`

// TestGroup accepts kernels whose invocations do the work of several invocations of a group, and no others.
func TestGroup(t *testing.T) {
	edit := func(text string, edits ...string) string { return rewritten(t, text, edits...) }
	spread := ir.Tile{X: 2, Y: 1, Group: ir.Spread}
	const fence, store = "fence_threads_lds", "lds_store_id(1) r11.x, r13.x"
	for _, c := range []struct {
		name          string
		before, after string
		tile          ir.Tile
		want          Verdict
		why           string
	}{
		{"two in turn", reversed, reversed2, spread, Proved, ""},
		{"neighbours instead", reversed, reversed2, ir.Tile{X: 2, Y: 1, Group: ir.Adjacent}, Unknown, ""},
		{"four instead", reversed, reversed2, ir.Tile{X: 4, Y: 1, Group: ir.Spread}, Unknown, "declared"},
		{"the second of the pair is wrong", reversed, edit(reversed2, "l2, 2, 252, 20, 124", "l2, 2, 252, 20, 120"), spread,
			Refuted, ""},
		{"the element of the other", reversed, edit(reversed2, "r15.x, r14.x", "r15.x, r4.x"), spread, Refuted, ""},
		{"the wrong shared element", reversed, edit(reversed2, "252, 20, 124", "252, 24, 124"), spread, Refuted, ""},
		{"no barrier", reversed, edit(reversed2, fence, ""), spread, Unknown, "race"},
		{"a barrier before a store", reversed, edit(reversed2, store, "", fence, fence+"\n"+store), spread, Unknown, "race"},
		{"a barrier too many", reversed, edit(reversed2, fence, fence+"\n"+fence), spread, Proved, ""},
		{"a barrier under a condition", reversed, edit(reversed2, fence, "if_logicalnz r3.x\n"+fence+"\nendif"), spread,
			Unknown, "barrier under a condition"},
		{"no barrier before", edit(reversed, fence, ""), edit(reversed2, fence, ""), spread, Unknown, "race"},
		{"two stores to one word", edit(reversed, "lds_store_id(1) r1.x", "lds_store_id(1) l2.z"), reversed2, spread, Unknown,
			"race"},
		{"outside local memory", edit(reversed, "dcl_lds_id(1) 256", "dcl_lds_id(1) 128"), reversed2, spread, Unknown,
			"invocation 32 accesses local memory at 128 of 128 bytes"},
		{"an address that is data", edit(reversed, "lds_load_id(1) r5.x, r4.x", "lds_load_id(1) r5.x, r3.x"), reversed2, spread,
			Unknown, "does not follow from the number of the invocation"},
	} {
		before, after := parseKernel(t, c.before), parseKernel(t, c.after)
		got := CheckKernel(before, after, Options{Tile: c.tile})
		if got.Verdict != c.want || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %v (%s), not %v (%s)", c.name, got.Verdict, got.Why, c.want, c.why)
		}
	}
}

// neighbours loads from the next invocation's element of a view, and stores to its own behind a barrier.
const neighbours = `il_cs_2_0; dcl_num_thread_per_group 64; dcl_raw_uav_id(0); dcl_raw_uav_id(1); dcl_literal l0, 1, 4, 63, 0
	iadd r0.x, vTidInGrpFlat.x, l0.x; iand r0.x, r0.x, l0.z; imul r0.x, r0.x, l0.y; imul r0.y, vTidInGrpFlat.x, l0.y
	uav_raw_load_id(0) r1.x, r0.x; fence_threads; uav_raw_store_id(0) mem.x___, r0.y, r1.x; end`

// TestGroupOvertakes refuses versions without the barrier that keeps a store of another invocation behind a load. The
// executions do not show it, because a wavefront executes each statement together.
func TestGroupOvertakes(t *testing.T) {
	const load, fence = "uav_raw_load_id(0) r1.x, r0.x", "fence_threads"
	again := rewritten(t, neighbours, fence, "uav_raw_store_id(1) mem.x___, r0.y, l0.x\n"+fence+"\n"+load+"\n"+fence)
	apart := rewritten(t, neighbours, "uav_raw_store_id(0)", "uav_raw_store_id(1)")
	for _, c := range []struct {
		name          string
		before, after string
		tile          ir.Tile
		want          Verdict
	}{
		{"two barriers", neighbours, rewritten(t, neighbours, fence, fence+"\n"+fence), ir.Tile{}, Proved},
		{"no barrier", neighbours, rewritten(t, neighbours, fence, ""), ir.Tile{}, Unknown},
		{"a load behind the barrier", neighbours, rewritten(t, neighbours, load, "", fence, fence+"\n"+load), ir.Tile{}, Unknown},
		{"the second barrier", again, rewritten(t, again, load+"\n"+fence, load), ir.Tile{}, Unknown},
		{"views of one buffer", apart, rewritten(t, apart, fence, ""), ir.Tile{}, Unknown},
		{"views of two buffers", apart, rewritten(t, apart, fence, ""), ir.Tile{X: 1, Y: 1, Restrict: true}, Proved},
	} {
		got := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after), Options{Tile: c.tile})
		if got.Verdict != c.want {
			t.Errorf("%s: %v (%s), not %v", c.name, got.Verdict, got.Why, c.want)
		}
	}
}

// groupMutant makes a wrong version of a coarsened elimination, or nil: another literal, another register, a
// statement left out or exchanged with the next, a barrier left out or moved across a store, or another size of the
// group.
func groupMutant(r *rand.Rand, k *il.Kernel, kind string) (m *il.Kernel) {
	m = cloneKernel(k)
	at := r.IntN(len(m.Insts) - 1)
	in := &m.Insts[at]
	switch {
	case kind == "literal" && in.Op == il.OpDclLiteral:
		in.Imm[r.IntN(4)] += []uint32{1, 4, 16, 64, 1 << 31}[r.IntN(5)]
	case kind == "size" && in.Op == il.OpDclNumThreadPerGroup:
		in.Imm[0] = []uint32{2, 3, 16, 32}[r.IntN(4)]
	case in.Op.Kind() == il.Declaration || in.Op.Role() != il.NoRole:
		return nil
	case kind == "register" && in.NSrc > 0 && in.Src[0].Reg.File == il.Temp:
		in.Src[r.IntN(int(in.NSrc))].Reg = il.Reg{File: il.Temp, Num: uint16(r.IntN(12))}
	case kind == "left out" && in.Op != il.OpFence, kind == "no barrier" && separates(m, at):
		m.Insts = slices.Delete(m.Insts, at, at+1)
	case kind == "exchanged" && in.Op != il.OpFence && m.Insts[at+1].Op.Role() == il.NoRole &&
		in.Dst.Reg == m.Insts[at+1].Src[0].Reg:
		m.Insts[at], m.Insts[at+1] = m.Insts[at+1], m.Insts[at]
	case kind == "moved barrier" && in.Op == il.OpLdsStore:
		next := at + 1
		for next < len(m.Insts)-1 && m.Insts[next].Op != il.OpFence {
			next++
		}
		for at > 0 && m.Insts[at].Op != il.OpFence { // before all stores of the phase
			at--
		}
		if at++; !separates(m, next) {
			return nil
		}
		moved := m.Insts[next]
		m.Insts = slices.Insert(slices.Delete(m.Insts, next, next+1), at, moved)
	default:
		return nil
	}
	for i := range m.Insts {
		m.Insts[i].Lead, m.Insts[i].Text = "", ""
	}
	m, err := il.Parse("mutant", il.Print(m))
	if err != nil || len(il.Check(m)) > 0 {
		return nil
	}
	return m
}

// separates reports whether a statement of an elimination is a barrier between wavefronts: the one after a row is
// divided by its pivot. Other rows read that row. All other barriers separate accesses to one row.
func separates(k *il.Kernel, at int) bool {
	n := 0
	for i := range at {
		if k.Insts[i].Op == il.OpFence {
			n++
		}
	}
	return k.Insts[at].Op == il.OpFence && n%2 == 1
}

// TestGroupMutants refuses 200 wrong versions of coarsened eliminations. A version is wrong if an execution differs,
// or if a barrier between wavefronts is missing. The proofs alone have
// to refuse it.
func TestGroupMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	type version struct {
		before, after *il.Kernel
		tile          ir.Tile
		threads       int
		want          []*kernel.Result
	}
	results := func(before, k *il.Kernel, width int) (list []*kernel.Result) {
		p, err := kernel.Compile(k)
		if err != nil {
			return nil
		}
		for seed := range uint64(2) {
			l := kernel.DefaultCase(before, seed)
			l.Width, l.Height = width, 1
			res, err := p.Run(l, kernel.Options{Steps: 1 << 20})
			if err != nil {
				return nil
			}
			list = append(list, res)
		}
		return list
	}
	versions := map[int][]version{}
	for _, size := range []int{4, 8} { // a matrix of 4 by 4 is in one wavefront
		before, err := il.Parse("elimination", ilgen.GaussJordan(size))
		if err != nil {
			t.Fatal(err)
		}
		for _, tile := range []ir.Tile{{X: 2, Y: 1, Group: ir.Spread}, {X: 4, Y: 1, Group: ir.Spread}} {
			v := version{before, pipeline(t, before, "coarsen{"+tile.String()+"},fold,gvn,dce", Terms), tile, 2 * size * size,
				results(before, before, 2*size*size)}
			if got := CheckKernel(before, v.after, Options{Tile: tile, Brief: true}); got.Verdict != Proved {
				t.Fatalf("%d, %v: %v, %s", size, tile, got.Verdict, got.Why)
			}
			versions[size] = append(versions[size], v)
		}
	}
	kinds := []string{"literal", "register", "left out", "exchanged", "no barrier", "moved barrier", "size"}
	wrong, equal := map[string]int{}, map[string]int{}
	for n := 0; n < 200; {
		kind, size := kinds[n%len(kinds)], 4
		isBarrier := strings.HasSuffix(kind, "barrier")
		if isBarrier {
			size = 8
		}
		v := versions[size][r.IntN(2)]
		if isBarrier { // four times smaller, the group is one wavefront
			v = versions[size][0]
		}
		m := groupMutant(r, v.after, kind)
		if m == nil {
			continue
		}
		is := isBarrier
		for k, res := range results(v.before, m, v.threads/v.tile.X) {
			is = is || trial.DifferingMemory(v.want[k], res) != ""
		}
		got := CheckKernel(v.before, m, Options{Tile: v.tile, Brief: true, Cheap: true, Unconfirmed: true})
		switch {
		case !is && got.Verdict.OK():
			equal[kind]++
		case got.Verdict.OK():
			t.Errorf("%s: %v\n%s", kind, got.Verdict, il.Print(m))
			n++
		case is:
			wrong[kind]++
			n++
		}
	}
	t.Log("refused", wrong, "equal", equal)
}
