/** The environment of restore tests: runs step by step in this process, with the jobs that they start and a check that answers. */

import { after, commit, create, get, iso, newId, type PostOutcome } from '../../../../shared/platform/index.ts';
import { startRuns } from '../../../../shared/restore-test/api/start-runs.ts';
import { storeEvidence } from '../../../../shared/restore-test/evidence/store-evidence.ts';
import { type RestoreTestRecord, type RunRecord, restoreTestKey } from '../../../../shared/restore-test/model/record.ts';
import { advanceRun } from '../../../../shared/restore-test/run/advance-run.ts';
import { type RunDeps, runDeps } from '../../../../shared/restore-test/run/run-deps.ts';
import { verifyBackup } from '../../../../shared/stored-backup/index.ts';
import { newSigner } from '../../builders/sample-test-run.ts';
import { createEnv } from '../backup-env.ts';
import { RestoreEnv } from '../restore-env.ts';

export const createRestoreTestEnv = (): Promise<RestoreTestEnv> => {
  Object.assign(process.env, {
    DATA_KEY_ID: 'key',
    SERVICE_VERSION: '2.0.0',
    PUBLIC_URL: 'https://backups.example.com',
    WEBHOOK_HOSTS: '',
  });
  return createEnv(RestoreTestEnv);
};

const signer = newSigner();
type Post = Parameters<RunDeps['post']>[0];

export const answered = (status: number, body = ''): PostOutcome => ({
  kind: 'answered',
  status,
  retryAfter: undefined,
  response: { body, contentType: 'application/json' } as never,
  durationMs: 1,
});

export class RestoreTestEnv extends RestoreEnv {
  /** Requests that the check has received. */
  posts: Post[] = [];
  onPost: (post: Post) => Promise<PostOutcome> = async () => answered(200, '{"result":"pass"}');

  override reset(sourceProjectId?: string): void {
    super.reset(sourceProjectId);
    this.posts = [];
    this.onPost = async () => answered(200, '{"result":"pass"}');
  }

  get runDeps(): RunDeps {
    return {
      ...runDeps,
      ...this.deps,
      post: async (post) => {
        const arrive = async (): Promise<PostOutcome> => {
          this.posts.push(post);
          return this.onPost(post);
        };
        return this.machine ? this.machine.effect(arrive) : arrive();
      },
      storeEvidence: (tested, target) => storeEvidence(tested, { ...target, signer: async () => signer }),
      openCheck: async () => ({ url: 'https://checks.example.com/ready', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
    };
  }

  plan(change: Partial<RestoreTestRecord> = {}): RestoreTestRecord {
    const now = this.clock.now();
    const id = newId('restoreTest', now);
    return {
      ...restoreTestKey.plan(this.tenant, id),
      id,
      name: 'Proof',
      projectId: this.projectId,
      cron: '0 * * * *',
      timezone: 'UTC',
      backup: { pick: 'latest' },
      scope: { type: 'all' },
      target: null,
      check: null,
      enabled: true,
      nextRunAt: null,
      lastRunAt: null,
      lastOutcome: null,
      createdBy: { id: newId('user'), email: null },
      createdAt: iso(now),
      updatedAt: iso(now),
      revision: 1,
      enteredRevision: 1,
      ...change,
    };
  }

  /** Stores a plan and starts its run, as POST /restore-tests/{id}/run does. Returns the id of the run. */
  async begin(change: Partial<RestoreTestRecord> = {}): Promise<string> {
    const plan = this.plan(change);
    const start = { trigger: 'manual', scheduledFor: null, createdBy: { type: 'user', id: newId('user') } } as const;
    const { runs, writes } = await startRuns(this.tenant, { plan, start, now: this.clock.now() });
    await commit([create(plan), ...writes]);
    return runs[0]!.id;
  }

  runOf = (id: string): RunRecord => this.table.get<RunRecord>(restoreTestKey.run(this.tenant, id))!;

  advance(runId: string, error?: unknown) {
    const { attempt } = this.runOf(runId);
    const deadline = after(this.clock.now(), 600);
    return advanceRun(this.tenant, {
      runStep: { runId, attempt, ...(error !== undefined && { error }) },
      deadline,
      deps: this.runDeps,
    });
  }

  /** Runs what the test waits for. Other workers do that: a crash of the test's own worker does not stop them. */
  async runJobs(runId: string): Promise<void> {
    const { restoreJobId, removal, backupId } = this.runOf(runId);
    for (const id of [restoreJobId, removal?.undoJobId])
      if (id && ['pending', 'running'].includes(this.restoreOf(id).status)) await this.runRestore(id);
    if (backupId === null || this.backupOf(backupId).verification?.status !== 'running') return;
    let position = null;
    do {
      const until = after(this.clock.now(), 600);
      position = (await verifyBackup(this.tenant, { backupId, position, deadline: until, deps: this.deps })) ?? null;
    } while (position);
  }

  /** Until the run has ended. */
  async finish(runId: string): Promise<RunRecord> {
    for (;;) {
      const progress = await this.advance(runId);
      if (progress === 'done') return (await get(restoreTestKey.run(this.tenant, runId)))!;
      if (progress === 'wait') await this.runJobs(runId);
    }
  }
}
