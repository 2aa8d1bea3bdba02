package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// A register component that nothing has written holds the same word wherever it is
// read, and may be any other one: several can be one, and none two. So each undefined
// value has one component that it is read from:
//
//	if c { r1.x = 5 }       r1.x = phi(5, undef r1.x): what r1.x held, so no statement on the other path

// undefs says which component undefined values are read from.
type undefs map[*ir.Value]ir.Reg

// placeUndefs leaves undefined values where they are, but for those that are only handed to
// one place: they are what that holds already.
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
				in.Src[k].Each(func(_ int, l *ir.Lane) { at(l.V, l.V.Home) })
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

// undefined is the value of v, which nothing has written: one that the start defines, so that
// nothing else is in its place until it is read for the last time.
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
