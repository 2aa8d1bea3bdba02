package machinetest

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// Obeys checks a finished program against the rules of the hardware ("R600-Family Instruction Set
// Architecture", section on ALU instruction groups and their restrictions). It checks group by
// group, from the text of the rules rather than from the packer's tables.
func Obeys(p *r600.Program, t *chip.Target) error {
	for i := range p.CF {
		cf := &p.CF[i]
		if len(cf.Fetches) > t.FetchClause {
			return fmt.Errorf("clause %d: %d fetches", i, len(cf.Fetches))
		}
		if cf.Words() > 128 && len(cf.Groups) > 0 || len(cf.Locks) > t.KCacheLocks {
			return fmt.Errorf("clause %d: %d words, %d locks", i, cf.Words(), len(cf.Locks))
		}
		for k := range cf.Groups {
			g := &cf.Groups[k]
			if err := legal(g, cf, t); err != nil {
				return fmt.Errorf("clause %d group %d: %w", i, k, err)
			}
			for s, in := range g.Slots {
				if in == nil {
					continue
				}
				// PV and PS are the results of the previous group, in the same clause only.
				for _, src := range in.Src {
					var from *r600.Inst
					switch src.Kind {
					case r600.SrcPV, r600.SrcPS:
						if k == 0 {
							return fmt.Errorf("clause %d slot %d: forwarded into a clause", i, s)
						}
						from = cf.Groups[k-1].Slots[r600.T]
						if src.Kind == r600.SrcPV {
							from = cf.Groups[k-1].Slots[src.Chan]
						}
						if from == nil {
							return fmt.Errorf("clause %d group %d: forwarded from an empty slot", i, k)
						}
					}
				}
			}
		}
	}
	return nil
}

// legal checks a group: one operation per slot, each in a permitted slot, and no more of the shared
// ports than there are.
func legal(g *r600.Group, cf *r600.CF, t *chip.Target) error {
	gpr := map[[2]int]string{}  // cycle, bank -> register
	consts := map[string]bool{} // constant ports
	lits := map[uint32]bool{}   // literals
	writes := map[string]bool{} // destinations
	once, mova, rel := 0, 0, 0
	if g.FilledSlots() == 0 {
		return fmt.Errorf("empty")
	}
	for s, in := range g.Slots {
		if in == nil {
			continue
		}
		// Check which units have the operation, and that a multi-slot operation has all its slots.
		class := in.Op.Slots(t.Family)
		ok := class == r600.Any || class == r600.Trans && s == r600.T || class != r600.Trans && s != r600.T
		if !ok || class == r600.Absent {
			return fmt.Errorf("%s in slot %d", in.Op, s)
		}
		first, width := s, class.Width()
		if width > 1 {
			first = s / width * width
		}
		for k := first; k < first+width; k++ {
			if g.Slots[k] == nil || g.Slots[k].Op != in.Op {
				return fmt.Errorf("%s is not whole", in.Op)
			}
		}
		if in.Op.OncePerGroup() {
			once++
		}
		if in.Op.Address() {
			mova++
		}
		if in.Dst.Kind != r600.DstNone {
			if s < r600.T && int(in.Dst.Chan) != s {
				return fmt.Errorf("slot %d writes channel %d", s, in.Dst.Chan)
			}
			d := fmt.Sprint(in.Dst)
			if writes[d] {
				return fmt.Errorf("written twice: %s", d)
			}
			writes[d] = true
		} else if in.Op.ThreeSource() {
			return fmt.Errorf("%s without destination", in.Op)
		}
		// The T unit reads at most two constants, and registers only in the remaining cycles.
		nconst := 0
		for _, src := range in.Src {
			if src.Kind == r600.SrcConst || src.Kind == r600.SrcLiteral || src.Kind == r600.SrcInline {
				nconst++
			}
		}
		if s == r600.T && nconst > 2 {
			return fmt.Errorf("t reads %d constants", nconst)
		}
		cycles := in.Swizzle.Cycles()
		if trans := in.Swizzle >= r600.Scl210; trans != (s == r600.T) {
			return fmt.Errorf("slot %d with %s", s, in.Swizzle)
		}
		for j, src := range in.Src {
			switch src.Kind {
			case r600.SrcGPR, r600.SrcTemp:
				if s == r600.T && int(cycles[j]) < nconst {
					return fmt.Errorf("t reads a register in cycle %d beside %d constants", cycles[j], nconst)
				}
				// The second operand may repeat the first, which is read once.
				if s != r600.T && j == 1 && src.Kind == in.Src[0].Kind && src.Index == in.Src[0].Index &&
					src.Chan == in.Src[0].Chan {
					continue
				}
				// Each bank delivers one register per cycle.
				at := [2]int{int(cycles[j]), int(src.Chan)}
				name := fmt.Sprint(src.Kind, src.Index)
				if gpr[at] != "" && gpr[at] != name {
					return fmt.Errorf("bank %d cycle %d delivers two registers", at[1], at[0])
				}
				gpr[at] = name
			case r600.SrcPV, r600.SrcPS:
				if s == r600.T && int(cycles[j]) < nconst {
					return fmt.Errorf("t reads forwarded data in cycle %d beside %d constants", cycles[j], nconst)
				}
			case r600.SrcConst:
				part := int(src.Chan)
				// From R700 on a constant port delivers half a register (xy or zw).
				if t.Family >= r600.R700 {
					part /= 2
				}
				consts[fmt.Sprint(src.Bank, src.Index, part, src.Rel)] = true
				if src.Rel {
					rel++
				}
				// A constant is read through the cache lines that the clause locks, 16 each.
				held := false
				for _, l := range cf.Locks {
					held = held || l.Bank == int(src.Bank) && int(src.Index)/16 >= l.Line && int(src.Index)/16 < l.Line+l.Lines
				}
				if !held {
					return fmt.Errorf("constant cb%d[%d] is not locked", src.Bank, src.Index)
				}
			case r600.SrcLiteral:
				lits[src.Bits] = true
			case r600.SrcInline:
				switch src.Bits {
				case 0, 1, 0xFFFFFFFF, 0x3F800000, 0x3F000000:
				default:
					return fmt.Errorf("%#x inline", src.Bits)
				}
			}
		}
	}
	// Ports: four constants in R600, two halves later.
	limit := 4
	if t.Family >= r600.R700 {
		limit = 2
	}
	switch {
	case len(consts) > limit:
		return fmt.Errorf("%d constants", len(consts))
	case len(lits) > 4 || len(lits) != len(g.Literals):
		return fmt.Errorf("%d literals of %d", len(g.Literals), len(lits))
	case once > 1:
		return fmt.Errorf("%d operations that only one may be", once)
	case mova > 0 && rel > 0:
		return fmt.Errorf("address register loaded and used")
	}
	return nil
}
