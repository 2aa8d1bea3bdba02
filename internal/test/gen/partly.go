package gen

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Partly converts a well-defined program to one that reads registers that only some paths have written: it
// puts writing statements under conditions. It returns nil if it finds none.
func Partly(src Source, p *d3d9.Program) *d3d9.Program {
	const tries, most = 16, 3
	var found *d3d9.Program
	for range tries {
		base := p
		if found != nil {
			base = found
		}
		if q := underCondition(src, base); q != nil {
			if found = q; src.Chance(100 / most) {
				break
			}
		}
	}
	if found == nil {
		return nil
	}
	return reread(found, p.Binary)
}

// underCondition puts one or more consecutive statements of p under a condition. It returns nil if that
// breaks another rule, or nothing reads their results.
func underCondition(src Source, p *d3d9.Program) *d3d9.Program {
	at := src.IntN(len(p.Insts))
	in := &p.Insts[at]
	if !plain(in) {
		return nil
	}
	n := 1
	for n < 4 && at+n < len(p.Insts) && plain(&p.Insts[at+n]) && src.Chance(40) {
		n++
	}
	list := slices.Clone(p.Insts[:at])
	list = append(list, conditionFor(src, p, in))
	list = append(list, p.Insts[at:at+n]...)
	if src.Chance(30) { // and another statement on the other side
		list = append(list, d3d9.Inst{Op: d3d9.OpElse}, p.Insts[at+src.IntN(n)])
	}
	list = append(list, d3d9.Inst{Op: d3d9.OpEndIf})
	q := *p
	q.Insts = append(list, p.Insts[at+n:]...)
	if wrong := d3d9.Validate(&q); len(wrong) == 0 ||
		slices.ContainsFunc(wrong, func(d *asm.Diag) bool { return d.Code != d3d9.PartlyInitialized }) {
		return nil
	}
	return &q
}

// plain reports whether in computes a register.
func plain(in *d3d9.Inst) bool {
	if k := in.Op.Kind(); k == d3d9.Declaration || k == d3d9.Trivia || !in.HasDst || in.Op == d3d9.OpTexKill {
		return false
	}
	return in.Dst.File == d3d9.Temp || in.Dst.File == d3d9.Addr || in.Dst.File == d3d9.Predicate
}

// conditionFor returns the start of a block: under a boolean constant, or a comparison of an operand of in.
func conditionFor(src Source, p *d3d9.Program, in *d3d9.Inst) d3d9.Inst {
	if s := in.Src[0]; in.NSrc > 0 && s.File == d3d9.Temp && d3d9.OpIfc.Exists(p.Model) && src.Chance(60) {
		x := d3d9.Src{Reg: s.Reg, Swz: d3d9.Replicate(s.Swz.ComponentAt(0))}
		y := d3d9.Src{Reg: d3d9.Reg{File: d3d9.Const, Index: uint16(src.IntN(2))}, Swz: d3d9.Replicate(src.IntN(4))}
		return d3d9.Inst{Op: d3d9.OpIfc, Cmp: d3d9.Cmp(1 + src.IntN(6)), NSrc: 2, Src: [4]d3d9.Src{x, y}}
	}
	b := d3d9.Src{Reg: d3d9.Reg{File: d3d9.ConstBool, Index: uint16(src.IntN(2))}, Swz: d3d9.Identity}
	return d3d9.Inst{Op: d3d9.OpIf, NSrc: 1, Src: [4]d3d9.Src{b}}
}

// Unwritten converts a well-defined program to one that reads registers that nothing has written. It
// deletes one or two writing statements, or components of their masks. It returns nil if that breaks
// another rule, or nothing reads their results.
func Unwritten(src Source, p *d3d9.Program) *d3d9.Program {
	const tries = 16
	var found *d3d9.Program
	for range tries {
		base := p
		if found != nil {
			base = found
		}
		at := src.IntN(len(base.Insts))
		in := base.Insts[at]
		if !plain(&in) || in.CoIssue || at+1 < len(base.Insts) && base.Insts[at+1].CoIssue {
			continue
		}
		q := *base
		if c := src.IntN(6); c < 4 && in.Dst.Mask != 1<<c {
			q.Insts = slices.Clone(base.Insts)
			q.Insts[at].Dst.Mask &^= 1 << c
		} else {
			q.Insts = slices.Delete(slices.Clone(base.Insts), at, at+1)
		}
		reads := false
		ok := !slices.ContainsFunc(d3d9.Validate(&q), func(d *asm.Diag) bool {
			reads = reads || d.Code == d3d9.Uninitialized
			return d.Code != d3d9.Uninitialized && d.Code != d3d9.PartlyInitialized
		})
		if !ok || !reads {
			continue
		}
		if found != nil {
			return reread(&q, p.Binary)
		}
		found = &q
	}
	if found == nil {
		return nil
	}
	return reread(found, p.Binary)
}
