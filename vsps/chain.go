package vsps

import "github.com/shaderlift/shaderlift/asm/d3d9"

// readChain is the longest chain of dependent texture reads of p, the first one
// included, as models that bound it count: an instruction depends on all that was
// written to the registers it reads, and to its own destination unless that is
// written whole by arithmetic. Flow control is not followed: models that have any
// set no bound.
func readChain(p *d3d9.Program) (longest int) {
	next := map[uint16]int{} // temporary to the place in the chain of a read that depends on it
	for i := range p.Insts {
		in := &p.Insts[i]
		texture := in.Op.Kind() == d3d9.TextureOp
		if !texture && in.Op.Kind() != d3d9.Arithmetic || in.Dst.File != d3d9.Temp {
			continue
		}
		n := 0
		for _, s := range in.Sources() {
			if s.File == d3d9.Temp {
				n = max(n, next[s.Index])
			}
		}
		if texture || in.Dst.Mask != d3d9.MaskAll {
			n = max(n, next[in.Dst.Index])
		}
		switch {
		case !texture:
			next[in.Dst.Index] = max(n, 1)
		case in.Op == d3d9.OpTexKill:
			longest = max(longest, n+1)
		default:
			next[in.Dst.Index] = n + 1
			longest = max(longest, n+1)
		}
	}
	return longest
}
