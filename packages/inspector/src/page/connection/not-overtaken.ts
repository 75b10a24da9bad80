/**
 * Takes answers in the order of their requests: one that arrives after the answer to a later request is dropped. What comes
 * before that answer is shown, so a slow server that is asked again and again is still seen to change.
 */
export function notOvertaken<T>(take: (answer: T) => void): (ask: () => Promise<T>) => Promise<void> {
  let asked = 0;
  let taken = 0;
  return async (ask) => {
    const number = ++asked;
    const answer = await ask();
    if (number < taken) return;
    taken = number;
    take(answer);
  };
}
