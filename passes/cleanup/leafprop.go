package cleanup

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Leaves forwards constants and inputs.
var Leaves = &passes.Pass{
	Name: "leafprop",
	Doc: `forward constants and inputs through moves, leaving it to emission to place them

Copy propagation forwards a constant or an input only if the reader can take it. This pass forwards it everywhere.
Emission then makes the moves that are needed, one for neighbouring readers.`,
	Class: passes.Terms, Removes: true,
	Options: []passes.Option{
		{Name: "fetches", Default: "false", Doc: "forward to the coordinates of fetches alone"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			forwardLeaves(c, f, c.Bool("fetches"))
		}
		return nil
	},
}

// forwardLeaves replaces reads of moved leaves, for all readers or for fetches alone.
func forwardLeaves(c *passes.Ctx, f *ir.Func, fetches bool) {
	// asked are the values that are read: unread moves are left to dead code elimination.
	asked := map[*ir.Value]bool{}
	f.Walk(func(in *ir.Instr) {
		if !fetches || in.Op.Has(ir.IsFetch) {
			in.EachUse(func(l *ir.Lane) { asked[l.V] = true })
		}
	})
	to := map[*ir.Value]ir.Lane{}
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpMov || in.Mods&ir.Sat != 0 || in.IsPredicated() || !readsLeaves(in) ||
			!slices.ContainsFunc(in.Out[:], func(v *ir.Value) bool { return asked[v] }) ||
			!c.ShouldRewrite(in, copied, "replaced by its source") {
			return
		}
		for i, v := range in.Out {
			if v != nil {
				to[v] = in.Src[0][i]
			}
		}
	})
	// Moves into block arguments stay: they decide the registers of the values.
	if len(to) == 0 {
		return
	}
	f.Walk(func(in *ir.Instr) {
		if fetches && !in.Op.Has(ir.IsFetch) {
			return
		}
		for s := range in.Src {
			in.Src[s].EachLane(func(_ int, l *ir.Lane) {
				if x, ok := to[l.V]; ok {
					in.TakeCopy(l.V.Def, int(l.V.Lane), copied)
					*l = ir.Lane{V: x.V, Mod: x.Mod.ComposeWith(l.Mod)}
				}
			})
		}
	})
	Sweep(f)
}

// readsLeaves reports whether a move reads leaves only.
func readsLeaves(in *ir.Instr) bool {
	for i, v := range in.Out {
		if v != nil && !in.Src[0][i].V.IsLeaf() {
			return false
		}
	}
	return true
}
