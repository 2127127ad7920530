// Weights under a price from the logarithm to the square, and how far a newcomer bends the ratio of two of them.
import { entmax } from "./math.js";

// The last of the row is the newcomer.
export const weightsOf = ({ scores }, price, joins) => entmax(joins ? scores : scores.slice(0, -1), 1, price);

// How many times the first word gets the weight of the second.
export const ratioOf = ([first, second]) => first / second;

// The ratio with the newcomer over that without: 1 is rigid.
export const bendOf = (row, price) => ratioOf(weightsOf(row, price, true)) / ratioOf(weightsOf(row, price, false));

// How many stops the dial has, but for its first end.
export const STEPS = 100;
