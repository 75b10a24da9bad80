// #region ask
import { query } from 'coxswain';

console.log(await query('In one sentence: what does this repository do?').text());
// #endregion
