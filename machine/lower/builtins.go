package lower

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// builtins are what the components of a register file hold when a thread starts. Inputs
// that are interpolated are taken to go over the domain as the position does: many are
// declared as the position, the others are coordinates of textures as a rule.
var builtins = map[il.File][4]chip.Builtin{
	il.Input:           {chip.PositionX, chip.PositionY, chip.PositionZ, chip.PositionW},
	il.WinCoord:        {chip.PositionX, chip.PositionY, chip.PositionZ, chip.PositionW},
	il.ObjIndex:        {chip.ThreadFlat},
	il.AbsThreadID:     {chip.ThreadX, chip.ThreadY, chip.ThreadZ},
	il.AbsThreadFlat:   {chip.ThreadFlat},
	il.GroupThreadID:   {chip.ThreadInGroupX, chip.ThreadInGroupY, chip.ThreadInGroupZ},
	il.GroupThreadFlat: {chip.ThreadInGroupFlat},
	il.GroupID:         {chip.GroupX, chip.GroupY, chip.GroupZ},
	il.GroupFlat:       {chip.GroupFlat},
	il.Face:            {chip.FrontFace},
}

// builtin is what input r of a kernel holds.
func builtin(r ir.Reg) chip.Builtin { return builtins[il.File(r.File)][r.Comp&3] }
