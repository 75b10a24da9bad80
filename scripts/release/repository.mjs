/**
 * The address of the repository, which does not exist yet. To publish elsewhere, change this line; scripts/test/manifests.test.ts
 * then lists every file that names another address.
 */
export const REPOSITORY = 'https://github.com/coxswain-sdk/coxswain';
