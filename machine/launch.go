package machine

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// builtins are what the components of a register file hold when a thread starts. Inputs
// that are interpolated are taken to go over the domain as the position does: many are
// declared as the position, the others are coordinates of textures as a rule.
var builtins = map[il.File][4]Builtin{
	il.Input:           {PositionX, PositionY, PositionZ, PositionW},
	il.WinCoord:        {PositionX, PositionY, PositionZ, PositionW},
	il.ObjIndex:        {ThreadFlat},
	il.AbsThreadID:     {ThreadX, ThreadY, ThreadZ},
	il.AbsThreadFlat:   {ThreadFlat},
	il.GroupThreadID:   {ThreadInGroupX, ThreadInGroupY, ThreadInGroupZ},
	il.GroupThreadFlat: {ThreadInGroupFlat},
	il.GroupID:         {GroupX, GroupY, GroupZ},
	il.GroupFlat:       {GroupFlat},
	il.Face:            {FrontFace},
}

// builtin is what input r of a kernel holds.
func builtin(r ir.Reg) Builtin { return builtins[il.File(r.File)][r.Comp&3] }

// Preloads are the inputs of c, as a [Launch] takes them.
func (c *Code) Preloads() []Preload {
	list := make([]Preload, len(c.Inputs))
	for i, in := range c.Inputs {
		list[i] = Preload{in.Reg, in.Chan, in.Holds}
	}
	return list
}
