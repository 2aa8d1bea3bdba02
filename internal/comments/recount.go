package comments

import (
	"fmt"
	"regexp"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// closing is the comment that fxc ends its listings with.
var closing = regexp.MustCompile(`approximately \d+ instruction slots? used(?: \(\d+ texture, \d+ arithmetic\))?`)

// Recount has the closing comment of fxc, where p ends with one, say what p takes now.
func Recount(p *d3d9.Program) {
	if p.Binary || !closing.MatchString(p.Tail) {
		return
	}
	c := d3d9.Measure(p)
	text := fmt.Sprintf("approximately %d instruction slots used", c.Slots)
	if c.Slots == 1 {
		text = "approximately 1 instruction slot used"
	}
	if c.Texture > 0 {
		text += fmt.Sprintf(" (%d texture, %d arithmetic)", c.Texture, c.Arithmetic)
	}
	p.Tail = closing.ReplaceAllLiteralString(p.Tail, text)
}
