// Package tune finds better values of numeric settings by playing games: settings of
// a search, of whatever player, under one rule set or several.
//
// # Trials
//
// A [Method] proposes a [Trial], two settings A and B of all parameters at once; an
// [Objective] plays pairs of games between them, each opening twice with colours
// swapped; the method gets A's score and proposes the next trial. Pairs are counted
// as in package arena, by A's points: 0, 1/2, 1, 3/2, 2.
//
// Parameters differ in size, so methods count in steps: x steps are the value
// Start + x*Step. A [Parameter] rounds what is played, to whole numbers or to a few
// decimals.
//
// # SPSA
//
// [SPSA] is simultaneous perturbation stochastic approximation (Spall 1992). In trial k
// all parameters are moved at once, each by c[k] steps up or down at random, d[i] = +1
// or -1. A is x + c[k]d, B is x - c[k]d, and the score s of A against B estimates the
// slope along d, so that
//
//	x[i] += a[k]/(2 c[k]) * s * d[i],   a[k] = a/(A+k+1)^alpha,   c[k] = c/(k+1)^gamma
//
// costs two settings a trial, however many parameters there are. Gains are those of
// Spall 1998: alpha 0.602, gamma 0.101, A a tenth of the trials. c is such that the
// last trial perturbs by one step; a is such that chance alone moves a parameter by
// Gain steps at first. The result is the mean of x over the last quarter of the trials
// (Polyak and Juditsky 1992).
//
// # CLOP
//
// [CLOP] is confident local optimization (Coulom 2011), for few parameters. A is a sample
// of the whole range, B the start. Logistic regression fits a quadratic function q to the
// games, the logarithm of A's odds, under a wide normal prior of each coefficient; a game
// counts as much as the weight of its sample, at first 1. A constant m, with standard
// deviation s, is fitted to the same games. The weight becomes
//
//	w(x) = min(w(x), exp((q(x) - m) / (H s))),   H = 3,
//
// and both are fitted again, until the weights hardly fall: samples that are confidently
// worse than the mean are discarded, the more the more games there are. The next sample
// is drawn with a probability in proportion to w. The result is the mean of the samples,
// weighted by w; for a top at an end of the range it lies within.
//
// # Which of them
//
// By how many Elo results were below the top, in the mean of 50 seeds, with games of the
// Elo formula, trials of 8 pairs, parameters of 20 steps whose top is up to 6 from the
// start, and so many Elo lost by each step squared (go test -run Compared -long -v):
//
//	                          200 pairs     1,000 pairs    4,000 pairs
//	Elo  parameters  start   SPSA   CLOP    SPSA   CLOP    SPSA   CLOP
//	0.5           1    6.4    6.1    3.6     3.7    1.3     1.9    0.6
//	0.5           2   12.5   10.7    7.8     6.6    3.0     3.6    1.4
//	0.5           4   24.3   21.5   20.3    13.8   11.5     7.8    5.2
//	0.5           8   50.0   45.5   38.4    31.4   21.3       -      -
//	3             1   38.6   16.5    4.5     1.5    1.6     0.8    0.6
//	3             2   74.9   29.3   11.4     3.2    2.7     1.8    1.4
//	3             4  145.7   60.8   41.9     7.0    8.3     4.1    4.3
//	3             8  300.2  128.8  206.1    15.6   28.7       -      -
//
// CLOP is at least level with one or two parameters, and better wherever games show
// little; SPSA is better with four and more that matter much, given 1,000 pairs or, with
// eight, fewer. CLOP knows the range, SPSA only the start.
//
// # Errors
//
// All trials together also say where each parameter's top is: near it, the score of A
// against B is that of a parabola, linear in b[i] - h[i]x[i] with slope b and curvature
// h, which least squares find. A parameter's error is half the 95% interval of its top
// and its distance from the result, added as squares. Where the games do not show a
// curvature, the error is not known. To an error of CLOP the standard deviation of its
// samples, by weight, is added: the function need be no parabola over the whole range.
//
// # Match
//
// At the end the result can play the start. The openings of that match are fixed before
// the first trial, named by the digest of all of them, used by no trial, and level by
// results: in [LevelGames] fast games neither colour scores over 60%.
//
// # Journal
//
// Everything is a function of the options and of the results so far. The journal
// has one line for each opening, trial and part of the match, in order; whatever the
// number of workers and however often the tuning is killed, it ends as the same bytes.
//
// # Sources
//
//   - Spall, "Multivariate Stochastic Approximation Using a Simultaneous Perturbation
//     Gradient Approximation", IEEE Transactions on Automatic Control 37(3), 1992.
//   - Spall, "Implementation of the Simultaneous Perturbation Algorithm for Stochastic
//     Optimization", IEEE Transactions on Aerospace and Electronic Systems 34(3), 1998.
//   - Coulom, "CLOP: Confident Local Optimization for Noisy Black-Box Parameter Tuning",
//     Advances in Computer Games 13, 2011.
//   - Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging", SIAM
//     Journal on Control and Optimization 30(4), 1992.
//   - Dickey and Fuller, "Distribution of the Estimators for Autoregressive Time Series
//     with a Unit Root", Journal of the American Statistical Association 74, 1979.
package tune
