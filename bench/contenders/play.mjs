const PLAYS = {
  bare: ['bare', 'oneShot'],
  pulled: ['bare', 'pulled'],
  'bare-session': ['bare', 'session'],
  query: ['coxswain', 'oneShot'],
  session: ['coxswain', 'session'],
  official: ['official', 'oneShot'],
};

/** The implementations of the contenders. Only the selected one is loaded: an import is part of the time of a whole process. */
export async function playerOf(contender) {
  const [file, play] = PLAYS[contender];
  return (await import(`./${file}.mjs`))[play];
}
