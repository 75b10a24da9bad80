import { type Context, createContext } from 'preact';

/** True on paper: texts and changes are shown whole, because nobody can unfold them there. */
export const ShownWhole: Context<boolean> = createContext(false);

/** Longest text that paper shows in full; of a longer one it shows the beginning, and says how much is missing. */
export const LONGEST_ON_PAPER = 200_000;
