package amdil

// State is stateHome, for tests in package amdil_test.
var State = stateHome
