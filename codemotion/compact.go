package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// compact renames the highest outputs of the dense file to lower ones that nothing reads, on both sides of
// the pair. The models below 3.0 allow no gap in oT#, so without it the unread ones would have to stay:
//
//	mov oT0, v1   // unread           mov oT0, v2
//	mov oT1, v2                       texld r0, t0, s0
//	texld r0, t1, s0
func compact(c *passes.Ctx, u *passes.Unit, l *ir.Linkage) {
	if l.Dense == 0 || hasGap(u.Vertex, l.Dense) {
		return
	}
	reads := Reads(u.Pixel)
	for i := len(l.Links) - 1; i >= 0; i-- {
		high := highestRead(l, reads)
		low := lowestUnread(l, reads, high)
		if low == nil || !c.ShouldRewrite(nil, "output-renamed",
			"output "+ir.RegisterName(u.Vertex.Dialect, high.Out)+" moves to "+ir.RegisterName(u.Vertex.Dialect, low.Out)) {
			return
		}
		rename(u, high, low)
		reads = Reads(u.Pixel)
	}
}

// highestRead returns the link with the highest output of the dense file that the pixel program reads, or
// nil.
func highestRead(l *ir.Linkage, reads map[ir.Reg]bool) (high *ir.Link) {
	for i := range l.Links {
		if v := &l.Links[i]; v.Out.File == l.Dense && needed(l, v.Out, reads) > 0 &&
			(high == nil || v.Out.Index > high.Out.Index) {
			high = v
		}
	}
	return high
}

// lowestUnread returns the link with the lowest output that the pixel program does not read and that can
// replace high, or nil. A register in partial precision cannot replace one in full precision.
func lowestUnread(l *ir.Linkage, reads map[ir.Reg]bool, high *ir.Link) (low *ir.Link) {
	if high == nil || !high.Linear || high.Shared {
		return nil
	}
	for i := range l.Links {
		v := &l.Links[i]
		fits := v.Out.File == l.Dense && v.Linear && !v.Shared && (high.Half || !v.Half) && v.Out.Index < high.Out.Index
		if fits && needed(l, v.Out, reads) == 0 && (low == nil || v.Out.Index < low.Out.Index) {
			low = v
		}
	}
	return low
}

// rename moves the values of output high to output low, and makes the pixel program read them there.
func rename(u *passes.Unit, high, low *ir.Link) {
	at := func(r, base ir.Reg) bool { return r.File == base.File && r.Index == base.Index }
	u.Vertex.Outs = slices.DeleteFunc(u.Vertex.Outs, func(o ir.Output) bool { return at(o.Reg, low.Out) })
	for i := range u.Vertex.Outs {
		if o := &u.Vertex.Outs[i]; at(o.Reg, high.Out) {
			o.Reg.Index = low.Out.Index
		}
	}
	slices.SortFunc(u.Vertex.Outs, func(a, b ir.Output) int { return a.Reg.Compare(b.Reg) })
	to := map[*ir.Value]ir.Lane{}
	for comp := range uint8(4) {
		from, in := high.In, low.In
		from.Comp, in.Comp = comp, comp
		to[u.Pixel.Leaf(ir.Input, from)] = ir.Lane{V: u.Pixel.Leaf(ir.Input, in)}
	}
	u.Pixel.Replace(to)
}

// hasGap reports whether f skips a register of the dense file below another one that it writes.
func hasGap(f *ir.Func, dense ir.File) bool {
	var written uint64
	for _, o := range f.Outs {
		if o.Reg.File == dense {
			written |= 1 << o.Reg.Index
		}
	}
	return written&(written+1) != 0
}
