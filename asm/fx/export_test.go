package fx

// Constants of the package, for tests in package fx_test.
const (
	Owned   = owned
	Unclear = unclear
	Struct  = structClass
)
