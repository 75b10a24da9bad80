/**
 * Takes responses in the order of their requests: a response that arrives after the response to a later request is dropped. Earlier
 * responses are still shown, so that the view keeps changing when a slow server gets many requests.
 */
export function inRequestOrder<T>(take: (answer: T) => void): (ask: () => Promise<T>) => Promise<void> {
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
