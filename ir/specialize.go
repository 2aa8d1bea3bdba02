package ir

import (
	"cmp"
	"slices"
)

// Specialize replaces reads of the uniforms in known by literals with those bits (it binds constants). The
// literals keep the homes, because the host has promised to set the uniforms to these values. A program that
// gains nothing from the promise then reads the same registers as before. Reads through an index (c[a0.x+4])
// stay. It returns the homes that something read, in the order of the leaves.
func (f *Func) Specialize(known map[Reg]uint32) (read []Reg) {
	var leaves []*Value
	uses := f.UseCounts()
	for home := range known { // sorted below
		if v := f.known(leafKey{kind: Uniform, home: home}); v != nil && uses[v.ID] > 0 {
			leaves = append(leaves, v)
		}
	}
	slices.SortFunc(leaves, func(a, b *Value) int { return cmp.Compare(a.ID, b.ID) })
	to := map[*Value]Lane{}
	for _, v := range leaves {
		read = append(read, v.Home)
		to[v] = Lane{V: f.LiteralAt(known[v.Home], v.Home)}
	}
	f.Replace(to)
	return read
}
