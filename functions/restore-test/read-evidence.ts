/** Evidence of a run, read from the bucket. */
import { evidence } from '../../shared/contract/endpoints/protection/evidence.ts';
import { handle } from '../../shared/http/index.ts';
import { readRunEvidence } from '../../shared/restore-test/index.ts';

export const get = handle(evidence.get, async ({ tenant, params }) => ({
  data: await readRunEvidence(tenant, params.runId),
}));
