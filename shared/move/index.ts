export { finishOrRevertMove } from './finish-or-revert-move.ts';
export { moveProject } from './move-project.ts';
export type { MoveCaller } from './switch-organization.ts';
