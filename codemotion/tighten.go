package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// isRead reports whether the pixel program reads a component of a vertex output.
func isRead(l *ir.Linkage, out ir.Reg, comp uint8, reads map[ir.Reg]bool) bool {
	return slices.ContainsFunc(l.Links, func(v ir.Link) bool {
		in := v.In
		in.Comp = comp
		return v.Out == out && reads[in]
	})
}

// tighten removes the components that the pixel program does not read from the outputs of a loose linkage, and moves
// the others of each output to its first components. Components of one output are interpolated alike, so each may
// take the place of another one.
func tighten(c *passes.Ctx, u *passes.Unit, link *ir.Linkage) error {
	reads := Reads(u.Pixel)
	swept := false
	for _, out := range link.Outputs {
		isDead := func(o ir.Output) bool {
			return o.Reg.File == out.File && o.Reg.Index == out.Index && !isRead(link, out, o.Reg.Comp, reads)
		}
		if slices.ContainsFunc(u.Vertex.Outs, isDead) &&
			c.ShouldRewrite(nil, "output-removed", "unread components of "+ir.RegisterName(u.Vertex.Dialect, out)+" are removed") {
			u.Vertex.Outs, swept = slices.DeleteFunc(u.Vertex.Outs, isDead), true
		}
	}
	if swept {
		cleanup.Sweep(u.Vertex)
	}
	for i := range link.Links {
		if l := &link.Links[i]; l.Out.File != 0 && !l.Shared {
			closeGaps(c, u, l)
		}
	}
	return nil
}

// closeGaps renames the components of an output, if it does not write the first ones, on both sides of the pair. An
// input that reads more than the vertex program writes stays.
func closeGaps(c *passes.Ctx, u *passes.Unit, l *ir.Link) {
	var written []uint8
	for comp := range uint8(4) {
		out := l.Out
		if out.Comp = comp; u.Vertex.OutputValue(out) != nil {
			written = append(written, comp)
		}
	}
	n := len(written)
	if n == 0 || int(written[n-1]) == n-1 || readsOthers(u.Pixel, l, written) ||
		!c.ShouldRewrite(nil, "output-renamed", "the components of "+ir.RegisterName(u.Vertex.Dialect, l.Out)+" move together") {
		return
	}
	to := map[*ir.Value]ir.Lane{}
	for k, comp := range written {
		from, in := l.In, l.In
		from.Comp, in.Comp = comp, uint8(k)
		for i := range u.Vertex.Outs {
			if r := &u.Vertex.Outs[i].Reg; r.File == l.Out.File && r.Index == l.Out.Index && r.Comp == comp {
				r.Comp = uint8(k)
			}
		}
		if comp != uint8(k) {
			to[u.Pixel.Leaf(ir.Input, from)] = ir.Lane{V: u.Pixel.Leaf(ir.Input, in)}
		}
	}
	replaceOnce(u.Pixel, to)
}

// readsOthers reports whether f reads a component of an input that is not in written.
func readsOthers(f *ir.Func, l *ir.Link, written []uint8) bool {
	reads := Reads(f)
	for comp := range uint8(4) {
		in := l.In
		if in.Comp = comp; reads[in] && !slices.Contains(written, comp) {
			return true
		}
	}
	return false
}

// replaceOnce replaces values as [ir.Func.Replace] does. Its chains (.w reads .z, .z reads .y) are not followed.
func replaceOnce(f *ir.Func, to map[*ir.Value]ir.Lane) {
	between := map[*ir.Value]ir.Lane{}
	back := map[*ir.Value]ir.Lane{}
	for from, at := range to {
		v := f.NewValue(ir.Param, ir.Reg{})
		between[from], back[v] = ir.Lane{V: v}, at
	}
	f.Replace(between)
	f.Replace(back)
}
