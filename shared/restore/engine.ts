import { type Engine, engine } from '../backup/index.ts';
import { chance } from '../platform/index.ts';

/** What the steps of a restore reach out to beside the table; given to them, so that faults can be put in between. */
export interface RestoreEngine extends Engine {
  readonly random: () => number;
}

export const restoreEngine: RestoreEngine = { ...engine, random: chance };
