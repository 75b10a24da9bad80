/** Longer names are cut by the CLI and told apart by a hash. */
const LONGEST_NAME = 200;

/** What the CLI calls the folder with the sessions of a working directory; measured on 2.1.325 and 2.1.197. */
export function projectFolderName(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}-${hashOf(cwd)}`;
}

/** True for what the CLI takes for the id of a session; nothing else ever becomes part of a path. */
export function isSessionId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return Math.abs(hash).toString(36);
}
