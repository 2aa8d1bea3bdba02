package htmlreport

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Draw holds the results of a draw with a pair before and after, as PNG, and their difference.
type Draw struct {
	before, after, difference []byte
	// Largest is the largest difference of a component, which has full brightness in the picture of
	// the differences.
	Largest float64
}

// NewDraw draws with both versions of a pair, using the draw of o or a generated one. It returns
// nil without an error for inputs that are not pairs, for unchanged ones, and for those that cannot
// be compared. The latter are results with promised constants, and draws with values that are not
// numbers.
func NewDraw(ctx context.Context, in shaderlift.Input, res *shaderlift.Result, o shaderlift.Options) (*Draw, error) {
	if !asm.BuiltD3D9 || res.Kind != shaderlift.KindPair || res.Status == shaderlift.Unchanged || len(res.Files) != 2 ||
		len(res.Assumes) > 0 {
		return nil, nil
	}
	// Without a case, one is generated from a seed.
	if o.Draw.Case == nil && o.Seed == 0 {
		o.Seed = 1
	}
	before, used, err := shaderlift.Run(ctx, in, o)
	if err != nil {
		return nil, err
	}
	// Draw the rewritten pair with the same case: the constants that the rewrite uploads elsewhere
	// are in both places.
	var uploads []draws.Upload
	for _, u := range res.Uploads {
		uploads = append(uploads, draws.Upload{From: u.From.Index, To: u.To.Index, Lowered: u.Lowered()})
	}
	o.Draw.Case = draws.WithUploads(used, uploads)
	after, _, err := shaderlift.Run(ctx, shaderlift.Input{Files: res.Files}, o)
	if err != nil {
		return nil, err
	}
	difference, largest, ok := differ(before, after)
	if !ok {
		return nil, nil
	}
	d := &Draw{Largest: largest}
	for _, p := range []struct {
		image *interp.Image
		to    *[]byte
	}{{before, &d.before}, {after, &d.after}, {difference, &d.difference}} {
		var b bytes.Buffer
		if err := p.image.WritePNG(&b, 0); err != nil {
			return nil, err
		}
		*p.to = b.Bytes()
	}
	return d, nil
}

// differ returns a picture of the differences of the first colours of a and b, scaled so that the
// largest is 1, and the largest difference.
func differ(a, b *interp.Image) (*interp.Image, float64, bool) {
	x, y := a.Targets[0], b.Targets[0]
	if x == nil || len(x) != len(y) {
		return nil, 0, false
	}
	d, largest := *b, 0.0
	d.Targets = [4][]float32{make([]float32, len(x))}
	for i := range x {
		by := math.Abs(float64(x[i]) - float64(y[i]))
		if math.IsNaN(by) {
			return nil, 0, false
		}
		largest = max(largest, by)
		d.Targets[0][i] = float32(by)
	}
	// Alpha carries no information, so make it opaque.
	for i := range d.Targets[0] {
		if i%4 == 3 {
			d.Targets[0][i] = 1
		} else if largest > 0 {
			d.Targets[0][i] /= float32(largest)
		}
	}
	return &d, largest, true
}

// drawnPicture is a picture with its caption.
type drawnPicture struct {
	text string
	data []byte
}

// pictures returns the pictures of a draw.
func (d *Draw) pictures() []drawnPicture {
	apart := "no difference"
	if d.Largest > 0 {
		apart = fmt.Sprintf("difference; white is %.2g", d.Largest)
	}
	return []drawnPicture{{"before", d.before}, {"after", d.after}, {apart, d.difference}}
}
