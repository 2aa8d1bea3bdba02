package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// An unwritten register component holds the same word at every read, but that word may be arbitrary. Several
// undefined values may share one component, but no value may be read from two. So each undefined value has
// one component:
//
//	if c { r1.x = 5 }       r1.x = phi(5, undef r1.x): the old r1.x, so no statement on the other path

// undefs maps undefined values to the component they are read from.
type undefs map[*ir.Value]ir.Reg

// placeUndefs keeps undefined values in place, except for those that are passed to one block parameter only:
// they take its register.
func placeUndefs(f *ir.Func, need []bool) undefs {
	u := undefs{}
	at := func(v *ir.Value, home ir.Reg) {
		if v.Kind != ir.Undef {
			return
		}
		if old, ok := u[v]; ok && old != home {
			home = v.Home
		}
		u[v] = home
	}
	pass := func(vs, to []*ir.Value) {
		for k, v := range vs {
			if need[to[k].ID] {
				at(v, to[k].Home)
			}
		}
	}
	var region func(r *ir.Region, loop *ir.Instr)
	region = func(r *ir.Region, loop *ir.Instr) {
		for _, in := range r.Code {
			for k := range in.Src {
				in.Src[k].EachLane(func(_ int, l *ir.Lane) { at(l.V, l.V.Home) })
			}
			switch in.Op {
			case ir.OpIf:
				for _, sub := range in.Sub {
					region(sub, loop)
					pass(sub.Results, in.Results)
				}
			case ir.OpLoop:
				body := in.Sub[0]
				pass(in.Args, body.Params)
				region(body, in)
				pass(body.Results, body.Params)
			case ir.OpBreak:
				pass(in.Args, loop.Results)
			}
		}
	}
	region(f.Body, nil)
	for _, o := range f.Outs {
		at(o.V, o.Reg)
	}
	return u
}

// undefined returns the value number of v, which no statement has written. The start defines it, so that no
// other value takes its place before the last read.
func (b *emitter) undefined(v *ir.Value) int32 {
	r, ok := b.undefs[v]
	if !ok {
		r = v.Home
	}
	x, known := b.undef[r]
	if !known {
		x = b.value(int(r.Comp))
		if isVariable(il.File(r.File)) {
			b.home[x] = r
		}
		b.undef[r] = x
		start := b.stmts[0]
		start.params = append(start.params, x)
	}
	return x
}
