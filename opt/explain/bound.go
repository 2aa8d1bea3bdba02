package explain

// advice is a sentence on each unit that limits a draw or a launch: the change of the program or of its use that helps.
var advice = map[string]string{
	"arithmetic":        "the arithmetic takes longest; fewer instructions, or cheaper ones, help",
	"special functions": "functions such as rcp, rsq, exp and log take longest, on NVIDIA also interpolation; fewer of them help",
	"interpolation":     "interpolating the inputs costs more than the arithmetic; fewer components of inputs help",
	"texture":           "reading textures costs more than the arithmetic; only fewer reads, or smaller formats, help",
	"output":            "writing the target costs more than the arithmetic; fewer instructions will not help",
	"vertex":            "the vertex program takes longest; fewer vertices, or fewer instructions for each, help",
	"primitives":        "passing on vertices takes longest; fewer vertices, attributes or interpolated components help",
	"alu":               "the arithmetic takes longest; fewer or fuller groups of operations help",
	"fetch":             "reading memory costs more than the arithmetic; fewer or wider fetches help",
	"export":            "writing the outputs costs more than the arithmetic; fewer or wider stores help",
	"l2":                "the second cache takes longest; reads with more locality, or local memory, help",
	"memory":            "the memory takes longest; less data, or reads with more locality, help",
	"latency":           "SIMDs wait for memory; fewer registers let more wavefronts run, and more fetches in a clause wait together",
}

// Bound returns a text about the unit that limits a draw or a launch on some GPUs, with advice.
func Bound(subject, unit, gpus string) string {
	text := subject + " is bound by " + unit + " on " + gpus
	if a := advice[unit]; a != "" {
		text += ": " + a
	}
	return text
}
