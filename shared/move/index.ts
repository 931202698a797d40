export { moveProject } from './move-project.ts';
export { settleMove } from './settle-move.ts';
export type { MoveCaller } from './switch-organization.ts';
