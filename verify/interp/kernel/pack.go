package kernel

// Thinned returns r with the first of each n elements of a row, as in the tables of coarser kernels.
func (r Resource) Thinned(n int) Resource {
	per := r.Format.Components()
	t := r
	t.Width = (r.Width + n - 1) / n
	switch {
	case r.Data.Kind == Zero:
	case r.Data.Kind == Random && per == 1 && r.Width%n == 0:
		t.Data.Every = max(r.Data.Every, 1) * n
	default:
		t.Data = Data{Kind: Words}
		r.elements(func(x int, element []uint32) {
			if x%n == 0 {
				t.Data.Words = append(t.Data.Words, element...)
			}
		})
	}
	return t
}

// Packed returns r with each n elements (2 or 4) of a row packed into one, for kernels that fetch vectors.
// Only the first number of each element is kept. Rows whose length n does not divide end in zeros.
func (r Resource) Packed(n int) Resource {
	per := r.Format.Components()
	p := r
	p.Width, p.Format = (r.Width+n-1)/n, Float2
	if n == Float4.Components() {
		p.Format = Float4
	}
	even := r.Width%n == 0
	switch {
	case r.Data.Kind == Zero, even && per == 1:
	case even && r.Data.Kind == Random && r.Format != Uint4:
		p.Data.Every = max(r.Data.Every, 1) * per
	default:
		p.Data = Data{Kind: Words}
		r.elements(func(x int, element []uint32) {
			p.Data.Words = append(p.Data.Words, element[0])
			for x == r.Width-1 && len(p.Data.Words)%n > 0 {
				p.Data.Words = append(p.Data.Words, 0)
			}
		})
	}
	return p
}

// elements visits the elements of r row by row.
func (r *Resource) elements(visit func(x int, element []uint32)) {
	per := r.Format.Components()
	words := r.Data.words(r.Width*r.Height*r.Depth*per, r.Format == Uint4)
	for i := range r.Width * r.Height * r.Depth {
		visit(i%r.Width, words[i*per:(i+1)*per])
	}
}
