/** True with `COXSWAIN_LONG=1 npm test`: repetitive tests then run more repetitions. */
export const LONG_FORM: boolean = process.env.COXSWAIN_LONG === '1';
