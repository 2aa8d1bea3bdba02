package preshader

// InputsOf returns the number of inputs of op, for tests in package preshader_test.
func InputsOf(op Op) int { return ops[op].inputs }
