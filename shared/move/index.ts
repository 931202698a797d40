export { moveProject } from './move-project.ts';
export { finishOrRevertMove } from './settle-move.ts';
export type { MoveCaller } from './switch-organization.ts';
