export type { ScaffoldOptions } from './choices.ts';
export { LANGUAGES, PACKAGE_MANAGERS, ScaffoldError } from './choices.ts';
export { createProject } from './create-project.ts';
export { initProject } from './init-project.ts';
export { reportLines } from './report.ts';
