package tune

// ErrOther is errOther, for tests in package tune_test.
var ErrOther = errOther
