export type { Mover } from './crossing.ts';
export { moveProject } from './move.ts';
export { settleMove } from './settlement.ts';
