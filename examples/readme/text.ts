// #region text
import { query } from 'coxswain';

const answer = await query('In one sentence: what does this repository do?').text();
// #endregion
console.log(answer);
