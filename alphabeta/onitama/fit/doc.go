// Package fit fits the weights of Onitama's classical evaluation to games, in the way in
// which package alphabeta/gomoku/fit fits those of gomoku: by logistic regression under a
// [regression.Prior] around the weights set by hand.
//
// # Positions
//
// A Collector replays games and takes the positions from the end of the opening on in which
// the side to move neither wins at once nor can take anything: those that the search leaves
// to its evaluation. If a game has scores of a search, a share of a position's target is
// what the score promises, on the scale that suits the results best, and the rest the
// result. The targets of every tenth game, which is held out, are results alone.
//
// # Prior
//
// The weights of a card on a cell stray together with those of all cards that have the same
// step there, with those of the card on all cells, and a little by themselves. So a card
// that few games have is judged by what it shares with others.
//
// # Recipe
//
//	carozero selfplay --game onitama --player alphabeta:nodes=400,weights=hand --games 11500 --opening-max 8 --seed 11 --out runs/base
//	carozero selfplay --game onitama --cards all --player alphabeta:nodes=400,weights=hand --games 4500 --opening-max 8 --seed 12 --out runs/all
//	carozero fit --game onitama --input runs/base runs/all --trust 0.7 --out alphabeta/onitama/weights_fitted.go
//
// # Worth
//
// Over the weights set by hand these won +244 +- 26 Elo in 1,000 games of random deals at
// 20,000 nodes (802 1 197). Margins of 110 and 80 a ply, in place of the 50 and 35 that suit
// the units of the weights set by hand, scored 124 0 107 (+27 +- 43) of that.
package fit
