/** The tests that repeat something do it more often with `COXSWAIN_LONG=1 npm test`. */
export const LONG_FORM: boolean = process.env.COXSWAIN_LONG === '1';
