// The games that the server has, and what their boards are: cells on which stones
// are put, or squares with pieces that move by cards.

/** @type {GameInfo[]} */ let known = [];

/** Takes over what the server says of its games, the usual one first. @param {GameInfo[]} games */
export function knowGames(games) { known = games; }

/** The game of a name, if the server has it. @param {string | undefined} name */
export const gameInfo = (name) => known.find((g) => g.name === name);

/** The usual game among those whose boards are cells. */
export const usualGame = () => known.find((g) => g.board === "cells");

/** The game that has a rule set, or else the usual one. @param {string | undefined} rules */
export const gameOfRules = (rules) => known.find((g) => g.rules.some((r) => r.name === rules)) || usualGame();

/** Whether a game is played with pieces and cards. @param {string | undefined} name */
export const hasCards = (name) => gameInfo(name)?.board === "cards";

/** Whether all boards of a game have one size. @param {string | undefined} name */
export const oneSize = (name) => new Set(gameInfo(name)?.sizes).size === 1;
