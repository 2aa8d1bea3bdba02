package lower

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// builtins holds the initial contents of the components of register files. Interpolated inputs are
// assumed to vary over the domain as the position does: many are declared as the position, and the
// others are mostly texture coordinates.
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

// builtin returns the value in input r of a kernel.
func builtin(r ir.Reg) chip.Builtin { return builtins[il.File(r.File)][r.Comp&3] }
