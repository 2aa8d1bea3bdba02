package sim

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// localAccess returns the access to local memory in a group, or nil.
func localAccess(g *r600.Group) *r600.Inst {
	for _, inst := range g.Slots {
		if inst != nil && inst.Op.Memory() && inst.Op.Sources() > 0 {
			return inst
		}
	}
	return nil
}

// halfWave is the number of threads whose accesses to local memory are checked for conflicts together, at most one
// for each bank and cycle (AMD Accelerated Parallel Processing OpenCL Programming Guide, chapter 6.2).
const halfWave = 32

// bankWait returns the number of groups that the active lanes wait because accesses to one bank are made in turn. Each
// half of a wavefront takes as many cycles as the bank with the most different words. The cycles of one group are
// free.
func bankWait(at *lanes, active uint64, t *chip.Target) (groups int) {
	cycles := 0
	for first := 0; first < t.Wave; first += halfWave {
		var words [64]uint32 // one more than the first word of each bank
		most, conflict := 0, false
		for lane := first; lane < min(first+halfWave, t.Wave); lane++ {
			if active>>lane&1 == 0 {
				continue
			}
			word := at[lane] / 4
			bank := &words[int(word)%min(t.LocalBanks, len(words))]
			most = max(most, 1)
			conflict = conflict || *bank != 0 && *bank != word+1
			*bank = word + 1
		}
		if conflict {
			most = mostWords(at[first:min(first+halfWave, t.Wave)], active>>first, t.LocalBanks)
		}
		cycles += most
	}
	return max(0, (cycles+t.GroupCycle-1)/t.GroupCycle-1)
}

// mostWords returns the number of different words that active lanes access in one bank, at most.
func mostWords(at []uint32, active uint64, banks int) (most int) {
	count := map[int]int{}
	seen := map[uint32]bool{}
	for lane, address := range at {
		if word := address / 4; active>>lane&1 != 0 && !seen[word] {
			seen[word] = true
			bank := int(word) % banks
			count[bank]++
			most = max(most, count[bank])
		}
	}
	return most
}
