package comments

import (
	"fmt"
	"regexp"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// closing matches the comment at the end of fxc's listings.
var closing = regexp.MustCompile(`approximately \d+ instruction slots? used(?: \(\d+ texture, \d+ arithmetic\))?`)

// Recount updates the closing comment of fxc to the current slots of p, if p has one.
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
