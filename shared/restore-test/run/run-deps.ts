import { type PostOutcome, postGuarded } from '../../platform/index.ts';
import { type RestoreDeps, restoreDeps } from '../../restore/index.ts';
import { storeEvidence } from '../evidence/store-evidence.ts';
import { openCheck } from '../model/check-secrets.ts';

/** External dependencies of a run, other than the table. Tests inject faults here. */
export interface RunDeps extends RestoreDeps {
  readonly post: (...args: Parameters<typeof postGuarded>) => Promise<PostOutcome>;
  readonly storeEvidence: typeof storeEvidence;
  readonly openCheck: typeof openCheck;
}

export const runDeps: RunDeps = { ...restoreDeps, post: postGuarded, storeEvidence, openCheck };
