package gomoku

// scales are the scales of rule sets by their names; see Scale. They were fitted by logistic
// regression of results on scores, to games of train/teacher_games.sh of build e468f74, rounds 1 to
// 26. A tenth of the games was held out; losses are mean cross-entropies in nats.
//
//	caro: 10149 games, 364561 positions and 39669 held out; loss 0.6300, held out 0.6341.
//	caro-edge: 1000 games, 60316 positions and 5884 held out; loss 0.6736, held out 0.6680.
//	caro-edge-overline: 1000 games, 58841 positions and 6473 held out; loss 0.6698, held out 0.6624.
//	caro-overline: 1000 games, 44171 positions and 4742 held out; loss 0.6390, held out 0.6122.
//	freestyle: 11849 games, 295198 positions and 32415 held out; loss 0.5209, held out 0.5135.
//	renju: 3098 games, 77088 positions and 8423 held out; loss 0.5586, held out 0.5632.
//	school42: 750 games, 17395 positions and 1945 held out; loss 0.5576, held out 0.5616.
//	standard: 3100 games, 89117 positions and 10491 held out; loss 0.5442, held out 0.5779.
var scales = map[string]float64{
	"caro":               227,
	"caro-edge":          332,
	"caro-edge-overline": 334,
	"caro-overline":      290,
	"freestyle":          206,
	"renju":              218,
	"school42":           174,
	"standard":           213,
}
