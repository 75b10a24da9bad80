/**
 * The address of the repository. It does not exist yet: to publish elsewhere, change this line, and run
 * `npm test -- scripts/test/manifests.test.ts` for the list of every package.json and page that names it.
 */
export const REPOSITORY = 'https://github.com/coxswain-sdk/coxswain';
