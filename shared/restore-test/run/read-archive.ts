/** Verifies the tested backup before anything is restored or compared, so that a damage has the same verdict in every kind of test. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { commit, iso } from '../../platform/index.ts';
import { assertVerificationCapacity, type BackupRecord, readBackup, startVerification } from '../../stored-backup/index.ts';
import { noComparisons } from './comparisons.ts';
import { concludeWith, DifferenceList, enterPhase, type RunContext, type RunProgress, setRun } from './run-writes.ts';

/**
 * Without a target every object is read. A restore reads all documents itself, and a sample those that it draws; the verification then
 * covers the index, the keys and the presence of all objects.
 */
export const readArchive = async (context: RunContext): Promise<RunProgress> => {
  const { tenant, run } = context;
  const backup = await readBackup(tenant, run.backupId ?? '');
  const depth = run.scope.type === 'all' && !run.target ? 'full' : 'structure';
  const { verification } = backup;
  if (verification?.status === 'running') return 'wait';
  const { verificationSince: since } = run;
  if (since === undefined || !verification || verification.checkedAt < since || verification.depth !== depth)
    return verify(context, backup, depth);
  if (verification.status === 'passed')
    return enterPhase(context, { phase: run.target && run.restoreJobId === null ? 'restoring' : 'comparing' });
  return concludeDamaged(context, verification);
};

const verify = async (context: RunContext, backup: BackupRecord, depth: 'full' | 'structure'): Promise<RunProgress> => {
  const { tenant, run, deps } = context;
  const now = deps.clock.now();
  await assertVerificationCapacity(tenant, now);
  const { change } = startVerification(tenant, { backup, depth, now });
  const note = auditNote(tenant, {
    type: 'backup',
    id: backup.id,
    details: { projectId: backup.projectId, depth, restoreTestId: run.restoreTestId, runId: run.id },
  });
  await commit([
    ...change.writes,
    setRun(context, { verificationSince: iso(now) }),
    systemAudit('restore-test', { action: 'backup.verified', note, now }),
  ]);
  return 'wait';
};

type Verification = NonNullable<BackupRecord['verification']>;

const concludeDamaged = (context: RunContext, { findings, objects }: Verification): Promise<RunProgress> => {
  const differences = new DifferenceList(context.run);
  const bad = findings.filter(({ problem }) => problem !== 'orphan');
  for (const { object, problem, message } of bad)
    differences.add({ path: object, kind: problem === 'missing' ? 'missing' : 'unreadable', against: 'index', message });
  const [first] = bad;
  const isDamaged = bad.some(({ problem }) => problem === 'corrupt' || problem === 'size' || problem === 'missing');
  return concludeWith(
    context,
    {
      code: isDamaged ? 'CHUNK_CORRUPT' : 'STORAGE_READ_ERROR',
      message: `The backup cannot be restored: ${first?.object ?? 'manifest'}: ${first?.message ?? 'unreadable'}`,
      details: { findings: bad.length },
    },
    {
      ...differences.attributes,
      counts: { objects, collections: 0, documents: 0, authUsers: 0, decoded: 0, bytes: 0 },
      comparisons: noComparisons('The archive is damaged, so its documents were not compared', {
        index: { compared: true, reason: null, differences: bad.length },
      }),
    },
  );
};
