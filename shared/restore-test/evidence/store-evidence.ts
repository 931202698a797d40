import { type EvidenceSigner, encodeEvidence, evidenceDigest, evidenceFolder, signEvidence } from '../../archive/index.ts';
import type { RestoreTestRun } from '../../contract/models/restore-test.ts';
import { type DestinationRecord, type ObjectStore, objectPath } from '../../destination/index.ts';
import { after, evidenceSigner } from '../../platform/index.ts';
import { makeEvidence, type TestedRun } from './make-evidence.ts';

/** What the record of a run keeps of its evidence: enough to find it and to see whether it was altered. */
export type EvidenceReference = NonNullable<RestoreTestRun['evidence']>;

/** Names are relative to the folder of the project, which contains the folders of its backups. */
export const evidencePath = (destination: Pick<DestinationRecord, 'prefix'>, projectId: string): string =>
  objectPath(destination, projectId, evidenceFolder);

const nameOf = (runId: string): string => `${runId}.json`;

interface EvidenceTarget {
  readonly destination: DestinationRecord;
  /** Opened at `evidencePath`. */
  readonly store: ObjectStore;
  readonly now: Date;
  readonly signer?: () => Promise<EvidenceSigner>;
}

/**
 * Signs the evidence of a run and stores it beside the project's backups, where no retention deletes it. Idempotent: evidence of the
 * same run has the same bytes. With object lock it is locked as long as a backup made now.
 */
export const storeEvidence = async (
  tested: TestedRun,
  { destination, store, now, signer = evidenceSigner }: EvidenceTarget,
): Promise<EvidenceReference> => {
  const signed = await signEvidence(makeEvidence(tested), await signer());
  const bytes = encodeEvidence(signed);
  const { objectLock } = destination;
  const lock = objectLock ? { lockedUntil: after(now, objectLock.days * 24 * 3_600) } : {};
  await store.put(nameOf(tested.run.id), bytes, lock);
  return {
    object: `${evidencePath(destination, tested.run.projectId)}/${nameOf(tested.run.id)}`,
    digest: evidenceDigest(bytes),
    keyId: signed.signature.keyId,
  };
};
