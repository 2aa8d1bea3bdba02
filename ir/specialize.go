package ir

import (
	"cmp"
	"slices"
)

// Specialize makes readers of the uniforms in known read literals of those bits
// instead. The literals keep the homes: what sets the uniforms has promised to set them
// so, and a program in which nothing comes of the promise reads the registers it read.
// Reads through an index (c[a0.x+4]) stay as they are. It returns the homes that
// something read, in the order of the leaves.
func (f *Func) Specialize(known map[Reg]uint32) (read []Reg) {
	var leaves []*Value
	uses := f.Uses()
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
