export type { ScaffoldOptions } from './choices.ts';
export { ScaffoldError } from './choices.ts';
export { initProject } from './init-project.ts';
export { reportLines } from './report.ts';
