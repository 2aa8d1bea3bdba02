package lanes

// Plane is the affine function v + dx*x + dy*y.
type Plane struct{ V, DX, DY float64 }

// At returns p at (x, y), with each product and sum rounded.
func (p *Plane) At(x, y float64) float64 { return p.V + float64(p.DX*x) + float64(p.DY*y) }
