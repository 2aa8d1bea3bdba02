package chip

// Budgets is budgetNames, for tests in package chip_test.
var Budgets = budgetNames
