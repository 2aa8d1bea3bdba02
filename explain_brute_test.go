package shaderlift_test

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/passes"
)

// TestExplainBrute compares each explanation with the result of moving the instruction by force,
// pricing and judging. A movable instruction verifies in the vertex program, and takes as many
// components as explained, and mostly as many pixel slots. If it was left alone because of slots, it
// never takes fewer. The result for an immovable instruction is refused or cannot be written. If other
// components keep it, or would with mirrored constants, moving it alone saves nothing. The force checks
// none of the conditions of code motion.
func TestExplainBrute(t *testing.T) {
	pairs := corpusPairs(t)
	enough := testcorpus.Count(25, 1000)
	tried := map[asm.Code]int{}
	sum, same := 0, 0
	for i := 0; i < len(pairs) && sum < enough; i++ {
		in := pairs[i*52%len(pairs)] // a mix of kinds: neighbours are alike
		host := [...]shaderlift.HostConstants{shaderlift.Separate, shaderlift.Mirrored}[i%2]
		o := shaderlift.Options{Target: shaderlift.SlotTarget, Host: shaderlift.HostOptions{PixelConstants: host}}
		res, err := shaderlift.Explain(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		list := res.Programs[1].Instructions
		if len(list) > 150 && !testcorpus.Whole {
			continue
		}
		movable := map[int]bool{}
		for _, inst := range list {
			movable[inst.Offset] = inst.Why.Code == "movable" || inst.Why.Code == "mixed-operand"
		}
		clean, _ := (&force{offset: -1}).optimize(t, in, o)
		taken := map[asm.Code]int{}
		for _, inst := range list {
			why := inst.Why
			if taken[why.Code]++; taken[why.Code] > 2 {
				continue
			}
			f := &force{offset: inst.Offset}
			if why.Code == "movable" {
				f.movable = movable
			}
			slots, made := f.optimize(t, in, o)
			if f.components == 0 { // nothing reads it
				continue
			}
			tried[why.Code]++
			sum++
			switch says := claim.FindStringSubmatch(why.Message); {
			case why.Code == "movable":
				components, _ := strconv.Atoi(strings.Replace(says[1], "one", "1", 1))
				want, _ := strconv.Atoi(says[2])
				if !made || components != f.components || slots < want && inst.Fate == explain.Kept {
					t.Errorf("%s: +%#x: %s: %s, but verified by force: %v, with %d components, in %d slots", in.Name, inst.Offset,
						inst.Text, why.Message, made, f.components, slots)
				}
				if slots == want {
					same++
				}
			case why.Code == "mixed-operand" || why.Code == "host-constant" && why.Unlock == "":
				if made && slots < clean {
					t.Errorf("%s: +%#x: %s: it %s, but by force it takes %d slots, not %d", in.Name, inst.Offset, inst.Text,
						why.Message, slots, clean)
				}
			case why.Unlock != "":
				if !made {
					t.Errorf("%s: +%#x: %s: it %s [%s], but by force is refused", in.Name, inst.Offset, inst.Text, why.Message,
						why.Code)
				}
			case made:
				t.Errorf("%s: +%#x: %s: it %s [%s], but by force is verified", in.Name, inst.Offset, inst.Text, why.Message,
					why.Code)
			}
		}
	}
	t.Log(tried)
	if sum < enough || 10*same < 9*tried["movable"] {
		t.Errorf("%d instructions were tried; %d of %d take as many slots as explain says", sum, same, tried["movable"])
	}
}

var claim = regexp.MustCompile(`with (\d+|one) components? interpolated: pixel slots \d+ -> (\d+)`)

// force moves the computation at an offset of the pixel program, without any checks.
type force struct {
	offset int
	// movable has the instructions that may move along. If it is not nil, the operands that others read
	// from these are interpolated, so that the instruction at the offset leaves the pixel program.
	// Otherwise its own results are interpolated.
	movable    map[int]bool
	components int    // that are interpolated
	again      func() // called when the pass runs another time

	unit   *passes.Unit
	link   *ir.Linkage
	copies map[*ir.Value]*ir.Value // in the vertex program
	taken  [][]*ir.Value           // values in registers that were free
}

// optimize moves the computation and cleans up. made reports whether the result was verified; slots are
// those of its pixel program. A refused result ends it, without a search for the rewrite to blame.
func (f *force) optimize(t *testing.T, in shaderlift.Input, o shaderlift.Options) (slots int, made bool) {
	t.Helper()
	ctx, refused := context.WithCancel(t.Context())
	defer refused()
	f.again = func() {}
	o.Hooks.Passes = []*passes.Pass{{Name: "force", Doc: "move without asking", Class: passes.Real, Run: f.run}}
	o.Pipeline, o.Keep, o.Host.PixelConstants = "force,dce,varyings", true, shaderlift.Mirrored // for uploads
	moved := false
	o.Hooks.Observe = func(_ shaderlift.Input, s passes.Stat) {
		switch s.Stage {
		case "force":
			moved = s.Outcome == passes.Changed
		case "varyings": // the last stage: it runs again only after a refusal
			made, f.again = moved, refused
		}
	}
	res, err := shaderlift.Optimize(ctx, in, o)
	if err != nil { // it cannot be written, or was refused
		return 0, false
	}
	return res.Stages[1].CurrentCost().Slots, made && res.Verdict().OK()
}

func (f *force) run(c *passes.Ctx, u *passes.Unit) (err error) {
	f.again()
	f.unit, f.copies, f.taken, f.components = u, map[*ir.Value]*ir.Value{}, nil, 0
	if f.link, err = u.Stages.Link(u.Varyings...); err != nil || !c.ShouldRewrite(nil, "moved", "forced") {
		return err
	}
	u.Pixel.Walk(func(in *ir.Instr) {
		if !f.leaves(in) {
			for s := range in.Src {
				f.operand(&in.Src[s])
			}
		}
	})
	for outs := u.Pixel.Outs; len(outs) > 0; { // register by register
		n := 1
		for n < len(outs) && outs[n].Reg.File == outs[0].Reg.File && outs[n].Reg.Index == outs[0].Reg.Index {
			n++
		}
		var o ir.Operand
		for i := range n {
			o[i].V = outs[i].V
		}
		f.operand(&o)
		for i := range n {
			outs[i].V = o[i].V
		}
		outs = outs[n:]
	}
	u.Varyings = append(u.Varyings, f.link.Free[:len(f.taken)]...)
	return nil
}

func (f *force) leaves(in *ir.Instr) bool {
	return in.Pos.Offset == f.offset || f.movable[in.Pos.Offset]
}

// operand makes o read interpolated values, if they depend on the instruction at the offset.
func (f *force) operand(o *ir.Operand) {
	var values []*ir.Value
	needs := false
	for _, l := range o {
		switch v := l.V; {
		case v == nil || v.Kind == ir.Undef:
		case v.Def != nil && f.leaves(v.Def):
			needs = needs || f.needs(v)
			values = append(values, v)
		case f.movable == nil: // the rest of it stays
		case v.Def != nil:
			return
		default:
			values = append(values, v)
		}
	}
	if needs {
		f.give(o, values)
	}
}

// needs reports whether v is computed from the instruction at the offset.
func (f *force) needs(v *ir.Value) bool {
	found := v.Def != nil && v.Def.Pos.Offset == f.offset
	if !found && v.Def != nil {
		for s := range v.Def.Src {
			v.Def.Src[s].EachLane(func(_ int, l *ir.Lane) { found = found || f.needs(l.V) })
		}
	}
	return found
}

// give makes o read values from the first register that has room for all of them.
func (f *force) give(o *ir.Operand, values []*ir.Value) {
	with := func(carried []*ir.Value) []*ir.Value {
		for _, v := range values {
			if !slices.Contains(carried, v) {
				carried = append(slices.Clip(carried), v)
			}
		}
		return carried
	}
	at := slices.IndexFunc(f.taken, func(carried []*ir.Value) bool { return len(with(carried)) <= 4 })
	if at < 0 {
		at = len(f.taken)
		f.taken = append(f.taken, nil)
	}
	reg := f.link.Free[at]
	now := with(f.taken[at])
	for i := len(f.taken[at]); i < len(now); i++ {
		out := reg.Out
		out.Comp = uint8(i)
		f.unit.Vertex.Outs = append(f.unit.Vertex.Outs, ir.Output{Reg: out, V: f.copy(now[i])})
		f.components++
	}
	f.taken[at] = now
	for i := range o {
		if slices.Contains(values, o[i].V) {
			in := reg.In
			in.Comp = uint8(slices.Index(now, o[i].V))
			o[i].V = f.unit.Pixel.Leaf(ir.Input, in)
		}
	}
}

// copy returns v in the vertex program, or nil if it has no equivalent.
func (f *force) copy(v *ir.Value) *ir.Value {
	vertex := f.unit.Vertex
	switch w := f.copies[v]; {
	case w != nil:
		return w
	case v.Kind == ir.Literal:
		return vertex.Const(v.Bits)
	case v.Kind == ir.Uniform: // the application sets it for both
		k := slices.IndexFunc(f.unit.Uploads, func(u passes.Upload) bool { return u.From == v.Home.Index })
		if k < 0 {
			k = len(f.unit.Uploads)
			f.unit.Uploads = append(f.unit.Uploads,
				passes.Upload{From: v.Home.Index, To: f.unit.Stages.FreeConstants(vertex)[k]})
		}
		return vertex.Leaf(ir.Uniform, ir.Reg{File: v.Home.File, Index: f.unit.Uploads[k].To, Comp: v.Home.Comp})
	case v.Def != nil:
		in := &ir.Instr{Op: v.Def.Op, Mods: v.Def.Mods &^ ir.Half, Orig: -1, Pos: v.Def.Pos,
			Src: make([]ir.Operand, len(v.Def.Src))}
		for s := range v.Def.Src {
			v.Def.Src[s].EachLane(func(i int, l *ir.Lane) { in.Src[s][i] = ir.Lane{V: f.copy(l.V), Mod: l.Mod} })
		}
		for i, w := range v.Def.Out {
			if w != nil {
				f.copies[w] = vertex.Define(in, i, ir.Reg{})
			}
		}
		vertex.Body.Code = append(vertex.Body.Code, in)
		return f.copies[v]
	}
	for _, l := range f.link.Links {
		if v.Kind == ir.Input && l.In.File == v.Home.File && l.In.Index == v.Home.Index && l.Out.File != 0 {
			l.Out.Comp = v.Home.Comp
			if w := vertex.OutputValue(l.Out); w != nil {
				return w
			}
		}
	}
	return vertex.Const(0)
}
