package machine

// FetchCycles returns the cycles of the fetches.
func (e Estimate) FetchCycles() float64 { return e.fetch }
