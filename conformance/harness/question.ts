/** A question of the model with AskUserQuestion. */
export const QUESTION = {
  question: 'Which one?',
  header: 'Choice',
  options: [
    { label: 'Left', description: 'the left one' },
    { label: 'Right', description: 'the right one' },
  ],
  multiSelect: false,
};
