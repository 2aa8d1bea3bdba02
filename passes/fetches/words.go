package fetches

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Words is the pass "vectorize-memory".
var Words = &passes.Pass{
	Name: "vectorize-memory",
	Doc: `loads and stores of words side by side become loads and stores of vectors

Loads of up to four neighbouring words of a raw view or an arena become one, at the first of them, if no store is between
them. Stores become one at the last of them, if they follow each other in the order of their words. Addresses may be any
multiple of four bytes. The largest word must not wrap around: the address is known modulo a power of two that leaves
room. Accesses to one element of g[] are joined likewise. The host does not change.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		f := u.Launched()
		if f == nil {
			return nil
		}
		j := &joiner{c: c, f: f, forms: affine.NewForms(f), replaced: map[*ir.Value]ir.Lane{}}
		f.EachRegion(func(r *ir.Region) {
			j.loads(r)
			j.stores(r)
		})
		f.Replace(j.replaced)
		if len(j.replaced) > 0 {
			cleanup.Sweep(f)
		}
		return nil
	},
}

// joined is the code of the pass's rewrites.
const joined = "vector-access"

// joiner joins accesses of words of a kernel.
type joiner struct {
	c        *passes.Ctx
	f        *ir.Func
	forms    *affine.Forms
	replaced map[*ir.Value]ir.Lane
}

// access is a load or a store of words: lane i is word i behind address at, in bytes if unit is 1.
type access struct {
	in    *ir.Instr
	at    affine.Form
	unit  uint32
	lanes uint8
}

// accessOf describes in, if it is an access to words through the texture units or to memory behind them.
func (j *joiner) accessOf(in *ir.Instr) (a access, ok bool) {
	launch := j.f.Dialect.Launch()
	if in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore || in.IsPredicated() || in.Mods != 0 ||
		!launch.Everywhere(in.Args[0].Home) {
		return a, false
	}
	unit, more, ok := launch.Words(in)
	at := j.forms.Of(in.Src[0][0], true)
	at.Plus += float64(more)
	a = access{in: in, at: at, unit: unit, lanes: in.Accessed()}
	return a, ok && a.lanes != 0 && in.Src[0][1].V == nil
}

// lanesAt returns the first lane of a in an access to the same memory that begins at address base. near is false if the
// lanes are not among four words from there. wraps reports that the sum of base and their distance may wrap around.
func (j *joiner) lanesAt(a *access, base affine.Form) (shift int, near, wraps bool) {
	d, same := j.forms.Distance(base, a.at)
	if !same || a.unit != 1 && d != 0 || d%4 != 0 || d > 12 || a.lanes<<(d/4) > 15 {
		return 0, false, false
	}
	remainder, modulus := base.Alignment()
	room := uint64(modulus)
	if modulus == 0 {
		room = 1 << 32
	}
	return int(d / 4), true, d != 0 && uint64(remainder)+uint64(d)+4*uint64(bits.Len8(a.lanes)-1) >= room
}

// loads joins the loads of a region.
func (j *joiner) loads(r *ir.Region) {
	var list []access
	for _, in := range r.Code {
		if a, ok := j.accessOf(in); ok && in.Op == ir.OpMemLoad {
			list = append(list, a)
		}
	}
	for len(list) > 0 && j.c.Spend(len(list)) {
		// The candidate that begins the largest group of the first load.
		var best []access
		var base access
		for _, b := range list {
			if near, wraps := j.covers(&b, &list[0]); !near || wraps {
				continue
			}
			group, apart := j.neighbours(b, list)
			if len(apart) > 0 && b.in == list[0].in {
				j.c.Remarkf(apart[0].in.Pos, "may-wrap", "this load of a neighbouring word stays: its address may wrap around")
			}
			if len(group) > len(best) {
				best, base = group, b
			}
		}
		if len(best) > 1 && j.c.Spend(len(r.Code)) && j.c.ShouldRewrite(best[0].in, joined,
			fmt.Sprintf("%d loads of neighbouring words become one", len(best))) {
			j.joinLoads(r, base, best)
		} else {
			best = list[:1]
		}
		gone := instrsOf(best)
		list = slices.DeleteFunc(list, func(a access) bool { return gone[a.in] })
	}
}

// covers reports whether one load at the address of base can replace a. wraps reports that the address of a may wrap
// around.
func (j *joiner) covers(base, a *access) (near, wraps bool) {
	if a.in.Base != base.in.Base || a.in.Args[0] != base.in.Args[0] ||
		base.unit == 1 && a.in.Imm != base.in.Imm { // otherwise the number of an element is part of the address
		return false, false
	}
	_, near, wraps = j.lanesAt(a, base.at)
	return near, wraps
}

// neighbours lists the loads that one load at the address of base can replace, and those whose addresses may wrap
// around.
func (j *joiner) neighbours(base access, list []access) (members, apart []access) {
	for _, a := range list {
		if near, wraps := j.covers(&base, &a); near && !wraps {
			members = append(members, a)
		} else if near {
			apart = append(apart, a)
		}
	}
	return members, apart
}

// joinLoads replaces members by a load at the address of base, in place of the first member.
func (j *joiner) joinLoads(r *ir.Region, base access, members []access) {
	first := members[0]
	in := *base.in
	in.Orig, in.Pos, in.Out, in.Also = -1, first.in.Pos, [4]*ir.Value{}, nil
	in.Src = slices.Clone(base.in.Src)
	code := []*ir.Instr{&in}
	if slices.Index(r.Code, base.in.Src[0][0].V.Def) > slices.Index(r.Code, first.in) { // the address is not computed yet
		d, _ := j.forms.Distance(first.at, base.at)
		at := &ir.Instr{Op: ir.OpIAdd, Orig: -1, Pos: in.Pos,
			Src: []ir.Operand{{0: first.in.Src[0][0]}, {0: {V: j.f.Const(d)}}}}
		in.Src[0][0] = ir.Lane{V: j.f.Define(at, 0, ir.Reg{})}
		code = []*ir.Instr{at, &in}
	}
	for _, a := range members {
		in.TakeIn(a.in, joined)
		shift, _, _ := j.lanesAt(&a, base.at)
		for i, v := range a.in.Out {
			if v == nil {
				continue
			}
			if in.Out[i+shift] == nil {
				home := v.Home
				home.Comp = uint8(i + shift)
				j.f.Define(&in, i+shift, home)
			}
			j.replaced[v] = ir.Lane{V: in.Out[i+shift]}
		}
	}
	replaceAccesses(r, members, first.in, code)
}

// replaceAccesses removes the instructions of members from r and puts code in place of one of them.
func replaceAccesses(r *ir.Region, members []access, at *ir.Instr, code []*ir.Instr) {
	gone, i := instrsOf(members), slices.Index(r.Code, at)
	list := slices.Concat(r.Code[:i], code, r.Code[i:])
	r.Code = slices.DeleteFunc(list, func(in *ir.Instr) bool { return gone[in] })
}

// instrsOf returns the set of the instructions of list.
func instrsOf(list []access) map[*ir.Instr]bool {
	set := map[*ir.Instr]bool{}
	for _, a := range list {
		set[a.in] = true
	}
	return set
}

// stores joins the stores of a region that follow each other in the order of their words, without a load in between.
func (j *joiner) stores(r *ir.Region) {
	uses := j.f.UseCounts()
	var run []access
	end := func() {
		if len(run) > 1 && j.c.Spend(len(r.Code)) && j.c.ShouldRewrite(run[0].in, joined,
			fmt.Sprintf("%d stores of neighbouring words become one", len(run))) {
			j.joinStores(r, run)
		}
		run = nil
	}
	for _, in := range slices.Clone(r.Code) {
		a, ok := j.accessOf(in)
		if !ok || in.Op != ir.OpMemStore {
			if in.Op.Has(ir.Effect) || in.Op.Has(ir.Structured) {
				end()
			}
			continue
		}
		if len(run) > 0 {
			first, last := run[0], run[len(run)-1]
			shift, near, wraps := j.lanesAt(&a, first.at)
			before, _, _ := j.lanesAt(&last, first.at)
			state := last.in.Results[0]
			if !near || wraps || in.Base != first.in.Base || a.unit == 1 && in.Imm != first.in.Imm || in.Args[0] != state ||
				uses[state.ID] != 1 || bits.Len8(last.lanes)-1+before >= bits.TrailingZeros8(a.lanes)+shift {
				end()
			}
		}
		run = append(run, a)
	}
	end()
}

// joinStores replaces the stores of run by one at the address of the first, in place of the last.
func (j *joiner) joinStores(r *ir.Region, run []access) {
	first, last := run[0], run[len(run)-1]
	in := *first.in
	in.Orig, in.Pos, in.Also, in.Src = -1, last.in.Pos, nil, []ir.Operand{first.in.Src[0], {}}
	state := j.f.NewValue(ir.Result, last.in.Results[0].Home)
	state.Def, in.Results = &in, []*ir.Value{state}
	for _, a := range run {
		in.TakeIn(a.in, joined)
		shift, _, _ := j.lanesAt(&a, first.at)
		a.in.Src[1].EachLane(func(i int, l *ir.Lane) { in.Src[1][i+shift] = *l })
	}
	j.replaced[last.in.Results[0]] = ir.Lane{V: state}
	replaceAccesses(r, run, last.in, []*ir.Instr{&in})
}
