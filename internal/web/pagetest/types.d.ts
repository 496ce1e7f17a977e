// What the page's modules share: the messages of the server, and what one module
// hands to another. The names are global; the page is served without this file.

type App = import("../page/app.js").App;
type Analysis = import("../page/analysis.js").Analysis;
type Book = import("../page/book.js").Book;
type Board = import("../page/board.js").Board;
type Editor = import("../page/editor.js").Editor;
type Key = import("../page/i18n.js").Key;
type Game = import("../page/game.js").Game;
type GameNode = import("../page/game.js").Node;
type Graph = import("../page/graph.js").Graph;
type Play = import("../page/play.js").Play;
type Positions = import("../page/positions.js").Positions;
type Prefs = import("../page/prefs.js").Prefs;
type PrefName = Exclude<keyof Prefs, "set" | "apply">;
type NumberPref = { [K in PrefName]: Prefs[K] extends number ? K : never }[PrefName];
type Socket = import("../page/socket.js").Socket;
type Sweep = import("../page/sweep.js").Sweep;

type Side = "B" | "W";
type Winner = Side | "none";
type EngineName = "mcts" | "alphabeta";
type View = "play" | "analyse" | "review" | "share";

/** What has changed, as listeners of the app hear it. */
type AppEvent = "edit" | "game" | "move" | "position" | "view" | "preview" | "analysis" | "prefs" | "play" | "think" | "hint";

/** A stone: its side and its point. */
type Stone = [Side, string];

/** A connection, as a WebSocket is one. */
interface Wire {
  readyState: number; onopen: ((event: any) => void) | null; onmessage: ((event: any) => void) | null; onclose: ((event: any) => void) | null;
  send: (text: string) => void; close: () => void;
}
/** The line that tells of the connection; `away` says what keeps the engine away, "" that nothing does. */
interface Told { away: (line: string) => void; outdated: (reload?: () => void) => void; notice: (text: string) => void }
/** Shows a line to everybody, with something that can be done about it. */
type Notice = (text: string, action?: [string, () => void]) => void;
/** What answers the page: requests as fetch does, by default fetch itself, and messages. `watch` gets what tells of it. */
interface Served { ask?: (path: string, options?: RequestInit) => Promise<Response>; dial: () => Wire; watch?: (told: Told) => void }

/** A file of the site that is a folder: where it is, its media type, how many bytes it has, and their digest. */
interface SiteFile { path: string; type: string; bytes: number; sha256: string }
/** What such a site has; script and wasm are the engine's, networks by their names, and packed as they are. */
declare var site: { config: Config; script: SiteFile; wasm: SiteFile; networks: { [name: string]: SiteFile } };

// What the server says. Game, Turn and so on are structs of internal/web, the others
// of internal/analysis; Config is that of internal/web.

interface RuleInfo { name: string; title: string; about: string; captures: boolean; forbidden: string }
interface GameInfo { name: string; rules: RuleInfo[]; board: "cells" | "cards"; sizes: [number, number]; defaultRule: string; defaultSize: number; cards?: Cards["steps"] }
interface LevelInfo { name: string; nodes: number; elo?: { [game: string]: number } }
interface FileInfo { id: number; path: string; kind: string; games: number }
interface Config {
  version: string; commit: string; games: GameInfo[]; levels: LevelInfo[]; models: string[]; engines: string[];
  defaults: { game: string; rule: string; size: number; engine: string; maxVisits: number; maxNodes: number };
  limits: { maxVisits: number; maxNodes: number; maxTime: number; reportEvery: number; line: number; queries: number; body: number };
  page: string; scale: Scale; review: FileInfo[] | null; book?: { name: string; editable: boolean; commentBytes: number };
}

/** By what moves are judged: the classes, the best first, each with its least loss; and the constants of the accuracy. */
interface Scale { grades: { class: string; loss: number }[]; accuracy: { scale: number; rate: number; less: number } }

interface Outcome { winner: Winner; reason: string }
interface Forbidden { point: string; kinds: string[] }
interface Cards { B: string[]; W: string[]; side: string; steps: { [card: string]: [number, number][] } }
interface Position {
  turnNumber: number; turns: number; currentPlayer: Side; ply: number; stones: Stone[]; numbers: number[];
  captured?: [number, number]; lastMove?: string; taken?: string[]; forbidden: Forbidden[]; legal: string[] | null;
  outcome?: Outcome; line?: string[]; pieces?: [Side, string, string][]; cards?: Cards; text?: string; hash: string; endgame?: Endgame;
}

type Result = "win" | "loss" | "draw";
interface Proof { result: Result; winner?: Winner; plies: number; line?: string[]; by?: string }
/** What solved endgames say: of the position, and of each move for the side that plays it. */
interface Endgame extends Proof { moves: { move: string; result: Result; plies: number }[] }
interface MoveInfo {
  move: string; order: number; visits: number; winrate: number; prior: number; pv: string[];
  proven?: Proof; claim?: Proof; depth?: number;
}
interface RootInfo {
  engine: EngineName; currentPlayer: Side; visits: number; winrate: number; proven?: Proof; claim?: Proof;
  choice?: string; nodes: number; depth: number; selDepth: number; book?: boolean;
}
interface Opinion { moveInfos: MoveInfo[]; rootInfo: RootInfo; shortened?: boolean }
interface Verdict {
  verdict: string; mctsMove: string; alphabetaMove: string; mctsBlunder?: Blunder; alphabetaBlunder?: Blunder;
  mctsUnproven?: Blunder; alphabetaUnproven?: Blunder; proof?: Replayed;
}
type Blunder = "loses" | "misses_win";
interface Replayed { by: string; plies: number; line: string[] }
interface Answer extends Partial<Opinion> {
  id?: string; turnNumber: number; isDuringSearch: boolean; noResults?: boolean; outcome?: Outcome; error?: string; code?: string; field?: string;
  policy?: number[] | { [move: string]: number }; alphabeta?: Opinion; verdict?: Verdict; endgame?: Endgame;
}

/** A message of the server: an answer, an echo of an action with what it adds, or a problem. */
interface Message {
  id?: string; error?: string; code?: string; field?: string; warning?: string; turnNumber?: number; isDuringSearch?: boolean; noResults?: boolean;
  position?: Position; book?: BookData; certificate?: { file: string }; openings?: { moves: PlayedMove[] }[]; moves?: PlayedMove[]; choice?: string;
}
/** What a book says of a position: of a move's, for the side that plays it. */
interface BookSaid {
  value?: number; proof?: Result; label?: string; comment?: string; author: string; time: string;
  values?: { engine: string; value: number; nodes?: number }[];
}
interface BookData { found: boolean; here?: BookSaid; moves: (BookSaid & { move: string })[] }
interface Annotation { label: string; comment: string }
/** A move, alone or behind its side. */
type PlayedMove = string | [string, string];

interface TurnNote {
  turnNumber: number; visits?: [string, number][]; policy?: [string, number][]; rootQ?: number; netQ?: number;
  played?: string; proven?: Proof; mcts?: TurnOpinion; alphabeta?: TurnOpinion; verdict?: Verdict;
}
interface TurnOpinion { move: string; value?: number; pv?: string[] | null }
/** A move of a tree, after that at the index `parent`, -1 for the start. */
interface TreeItem {
  parent: number; move: string; comment?: string; labels?: [string, string][]; marks?: [string, string][];
  value?: number; values?: Values; best?: Best; found?: Found;
}
/** A game as the server writes it. */
interface GameData extends Partial<Variant>, Names {
  moves?: PlayedMove[]; values?: (number | null)[]; turns?: TurnNote[]; tree?: TreeItem[]; comment?: string; unknownRules?: string;
  notes?: string[];
}
interface Listed { n: number; rules: string; size: number; plies?: number; result?: string; title?: string }
interface GameList { total: number; games: Listed[]; error?: string; code?: string }

// What the page keeps.

interface Names { title?: string; black?: string; white?: string; result?: string; reason?: string }
/** What a game begins from. */
interface Variant {
  game: string; rules: string; size: number; openRule?: boolean; initialPlayer?: Side; captured?: number[];
  initialStones?: Stone[]; initialPosition?: string;
}
/** The fields of a query that say what game it is about. */
interface Fields { moves: string[]; [field: string]: unknown }
/** Black's win rate by engine. */
interface Values { mcts?: number; alphabeta?: number }
interface Best { mcts?: string; alphabeta?: string }
/** What an engine expects at a node, from its move on, and what it has proven. */
interface FoundLine { line: string[]; proven?: { result: Result; plies: number } }
type Found = { [engine in EngineName]?: FoundLine };
/** Labels and marks of points. */
interface Drawn { labels?: [string, string][]; marks?: [string, string][] }
/** A game as the browser keeps it, an import or a file has it. */
interface Kept extends Omit<GameData, "values"> {
  variant?: Partial<Variant>; values?: Values | (number | null)[]; best?: Best; found?: Found; line?: string[]; turn?: number;
}
/** Where a game is from: the game `n` of a file of Review. */
interface Origin { file: number; n: number }
/** An expected line: its first `at` moves, of those after `base`, are shown; `asked` is how many the server was asked about. */
interface Preview { title: string; base: GameNode; moves: string[]; at: number; pinned: boolean; position?: Position; asked?: number }
/** What is known of a position: `sign` are the settings it was asked with. */
interface Known { answer: Answer; sign: string; done: boolean }
type Opinions = { [engine in EngineName]: Opinion | null };

/** What ends a query, and what has it answered soon. */
interface Query { drop: () => void; stop: () => void }
/** What the engine is asked for: a level, or a bound of one engine. */
interface Strength { level?: string; engine?: string; nodes?: number; playouts?: number; seconds?: number; depth?: number }
/** The fields of a query that say which engine is asked, and what it may spend. */
interface Asked {
  level?: string; seed?: number; engine?: string; maxNodes?: number; maxVisits?: number; maxDepth?: number; play?: boolean; lines?: number;
  useBook?: boolean; useEndgames?: boolean; overrideSettings?: { maxTime: number };
}
interface Search extends Query { since: number; share: number; hint: boolean; hurried: boolean; begun: boolean }
type Engines = { [side in Side]: boolean };
type PlayStatus = "idle" | "running" | "over";
interface KeptPlay {
  anew?: boolean; paused?: boolean; status: PlayStatus; engines: Engines; strength: Strength | null; result: string;
  seed: number; line: string[];
}
/** A move of a game as it is judged: its loss, from 0 to 1, and what would have been better. */
interface Judged { node: GameNode; mover: Side; loss: number; grade: string; best: string | undefined; line: string[]; proven?: { result: Result; plies: number } }

// What is drawn.

/** An engine's mark on a point; `share` says how dark it is, from 0 to 1. */
interface EngineMark { text: string; best?: boolean; proven?: Result; share: number }
interface BookMark { text: string; sign: string; best: boolean; proven?: Result }
interface Mark { book?: BookMark; tree?: EngineMark; classical?: Omit<EngineMark, "share">; letter?: string; best?: boolean; label?: string }
/** Marks by move. */
type Marks = Map<string, Mark>;
interface ShownStone { side: Side; point: string; number: number; ghost?: boolean }
/** What the board shows. */
interface BoardView {
  size: number; coordinates: boolean; flipped?: boolean; over?: boolean; numbers: boolean; side: Side | null; can: (point: string) => boolean; stones: ShownStone[];
  last?: string; taken?: string[]; line?: string[]; forbidden?: Forbidden[]; next?: string; hint?: string | null;
  marks?: Marks | null; drawn?: Drawn | null;
}
/** What the board of cards shows; moves are texts. */
interface CardView {
  flipped?: boolean; position: Position; last: string | null; hint: string | null; marks: Marks | null; side: Side | null; ask: (text: string) => void;
  edit?: (point: string) => void;
}

/** A picture of a rule: stones, a move of a side, and what comes of it by rule sets. */
interface Lesson {
  name: string; black: string; white: string; side?: Side; move: string; taken?: string; captured?: [number, number]; open?: boolean;
  verdicts: { verdict: string; moves?: number; text: Key; rules: string[] }[];
}
interface Lessons { size: number; gomoku: Lesson[]; onitama: { deal: string; moves: string[]; verdict: string; text: Key }[] }

/** Attributes, `text`, properties of controls, and listeners, whose target is taken for the element itself. */
interface Props<E> {
  on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K] & { target: E }) => void };
  [attribute: string]: unknown;
}
type Child = Node | string | false | null | undefined;
