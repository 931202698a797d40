export { moveProject } from './move-project.ts';
export { settleMove } from './settle-move.ts';
export type { Mover } from './switch-organization.ts';
