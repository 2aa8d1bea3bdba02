package split

// Conditions is findConditions, for tests in package split_test.
var Conditions = findConditions
