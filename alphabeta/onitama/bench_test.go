package onitama_test

// start is the position of the speed figures.
const start = "Monkey,Crane/Tiger,Crab/Dragon"
