const DONE: ReadonlyMap<string, string> = new Map([
  ['allow', 'Allowed'],
  ['deny', 'Denied'],
  ['answer', 'Answered'],
  ['send', 'Sent a prompt'],
  ['steer', 'Steered'],
  ['interrupt', 'Interrupted'],
  ['cancel', 'Cancelled'],
  ['fork', 'Forked'],
  ['resume', 'Resumed'],
  ['rename', 'Renamed'],
  ['close', 'Closed'],
  ['resend', 'Sent again'],
]);

/** An action from the page in words. */
export function actionInWords(action: string): string {
  return DONE.get(action) ?? action;
}
