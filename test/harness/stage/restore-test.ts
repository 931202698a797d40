/** Restore tests through the API. */
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import type { RestoreTestRun } from '../../../shared/contract/models/restore-test.ts';
import { lookUntil } from '../time/look-until.ts';
import { call } from './client.ts';
import type { TestOrganization } from './organization.ts';

/** Waits until the run is so, or has ended. */
export const followTestRun = (
  { id, owner }: TestOrganization,
  runId: string,
  isSo: (run: RestoreTestRun) => boolean = () => false,
): Promise<RestoreTestRun> =>
  lookUntil(
    async () => {
      const { status, body, text } = await call(restoreTests.getRun, { token: owner.accessToken, org: id, params: { runId } });
      if (status !== 200) throw new Error(`expected 200, got ${status}: ${text}`);
      return body.data;
    },
    (run) => run.completedAt !== null || isSo(run),
  );

/** Waits until the run has ended, with any status. */
export const endOfTestRun = (organization: TestOrganization, runId: string): Promise<RestoreTestRun> =>
  followTestRun(organization, runId);
