const PLAYS = {
  bare: ['bare', 'oneShot'],
  pulled: ['bare', 'pulled'],
  'bare-session': ['bare', 'session'],
  query: ['coxswain', 'oneShot'],
  session: ['coxswain', 'session'],
  official: ['official', 'oneShot'],
};

/** How a contender does a job. Only that one is loaded: an import is part of the time of a whole process. */
export async function playerOf(contender) {
  const [file, play] = PLAYS[contender];
  return (await import(`./${file}.mjs`))[play];
}
