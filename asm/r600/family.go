package r600

// Family is a generation of the architecture. It determines the opcode table, slot classes and port
// rules. The order is chronological.
type Family uint8

const (
	R600      Family = iota // R600 and RV670
	R700                    // RV770
	Evergreen               // Cypress
)

// String returns the name in lower case.
func (f Family) String() string { return [...]string{"r600", "r700", "evergreen"}[f] }
