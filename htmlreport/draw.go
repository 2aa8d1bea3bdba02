package htmlreport

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/lang"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Draw is what a draw with a pair leaves before and after, as PNG, and the difference.
type Draw struct {
	Before, After, Difference []byte
	// Largest is the largest difference of a component, which is as bright as the picture of
	// the differences gets.
	Largest float64
}

// NewDraw draws with both versions of a pair: the draw of o, or one that is made up. There is
// none, and no error, of what is no pair, is as it was, or could not be drawn alike: where the
// application promises constants, or a value is no number.
func NewDraw(ctx context.Context, in shaderlift.Input, res *shaderlift.Result, o shaderlift.Options) (*Draw, error) {
	if !lang.D3D9 || res.Kind != shaderlift.KindPair || res.Status == shaderlift.Unchanged || len(res.Files) != 2 || len(res.Assumes) > 0 {
		return nil, nil
	}
	// Without a case one is made up, which takes a seed.
	if o.Case == nil && o.Seed == 0 {
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
	o.Case = draws.WithUploads(used, uploads)
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
	}{{before, &d.Before}, {after, &d.After}, {difference, &d.Difference}} {
		var b bytes.Buffer
		if err := p.image.WritePNG(&b, 0); err != nil {
			return nil, err
		}
		*p.to = b.Bytes()
	}
	return d, nil
}

// differ is a picture of how far the first colours of a and b are apart, the largest difference
// being 1, and that difference.
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
	// Alpha shows nothing, so it is opaque.
	for i := range d.Targets[0] {
		if i%4 == 3 {
			d.Targets[0][i] = 1
		} else if largest > 0 {
			d.Targets[0][i] /= float32(largest)
		}
	}
	return &d, largest, true
}

// drawnPicture is a picture with what it shows.
type drawnPicture struct {
	text string
	data []byte
}

// pictures are those of a draw.
func (d *Draw) pictures() []drawnPicture {
	apart := "no difference"
	if d.Largest > 0 {
		apart = fmt.Sprintf("difference, white where it is %.2g", d.Largest)
	}
	return []drawnPicture{{"before", d.Before}, {"after", d.After}, {apart, d.Difference}}
}
