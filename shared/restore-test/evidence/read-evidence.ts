import type * as z from 'zod/mini';
import { ArchiveError, decodeEvidence, evidenceDigest, maxEvidenceBytes, type VerifiableEvidence } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import type { SignedEvidence } from '../../contract/models/restore-test-evidence.ts';
import {
  type DestinationRecord,
  type ObjectStore,
  objectThat,
  openStoreInRequest,
  readDestination,
  readExpected,
  StorageError,
} from '../../destination/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { readRun } from '../model/get-restore-test.ts';
import type { EvidenceReference } from './store-evidence.ts';

interface StoredEvidence {
  readonly runId: string;
  readonly reference: EvidenceReference;
  readonly destination: DestinationRecord;
  readonly open?: typeof openStoreInRequest;
}

/** The evidence of a run that passed or failed. */
export const readRunEvidence = async (tenant: Tenant, runId: string): Promise<z.output<typeof SignedEvidence>> => {
  const { status, evidence: reference, evidenceDestinationId } = await readRun(tenant, runId);
  if (status === 'pending' || status === 'running')
    throw new ApiError('CONFLICT', `The run has no evidence yet: it is ${status}`, { status });
  if (!reference || evidenceDestinationId === undefined)
    throw new ApiError('NOT_FOUND', `The run has no evidence: it is ${status}`, { status });
  const destination = await readDestination(tenant, evidenceDestinationId);
  return (await readEvidence(tenant, { runId, reference, destination })) as z.output<typeof SignedEvidence>;
};

/**
 * Reads evidence from the bucket. What is not exactly what was stored is never returned: its digest is in the table. In a bucket with
 * object lock, evidence that was replaced or deleted is read from the version that was stored.
 */
export const readEvidence = async (
  tenant: Tenant,
  { runId, reference, destination, open = openStoreInRequest }: StoredEvidence,
): Promise<VerifiableEvidence> => {
  const bytes = await fetchEvidence(tenant, { runId, reference, destination, open });
  try {
    const evidence = decodeEvidence(bytes);
    if (evidence.signature.keyId !== reference.keyId || evidence.run.id !== runId)
      throw altered(runId, { reference, reason: 'it belongs to another run or was signed by another key' });
    return evidence;
  } catch (error) {
    throw error instanceof ArchiveError ? altered(runId, { reference, reason: error.message, cause: error }) : error;
  }
};

const fetchEvidence = async (
  tenant: Tenant,
  { runId, reference, destination, open }: Required<StoredEvidence>,
): Promise<Uint8Array> => {
  const { object, digest } = reference;
  const cut = object.lastIndexOf('/');
  let store: ObjectStore | undefined;
  try {
    const opened = await open(tenant, destination, object.slice(0, cut));
    store = opened;
    const name = object.slice(cut + 1);
    const isStored = (bytes: Uint8Array): boolean => evidenceDigest(bytes) === digest;
    return await readExpected(opened, objectThat(name, maxEvidenceBytes, isStored), async () => {
      const bytes = await opened.get(name, { maxBytes: maxEvidenceBytes });
      if (!isStored(bytes))
        throw altered(runId, { reference, reason: 'the object in the bucket is not the one that was stored' });
      return bytes;
    });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    // Of an open store, only an object that is too large is invalid.
    if (store && error.code === 'invalid')
      throw altered(runId, { reference, reason: 'it is larger than any evidence', cause: error });
    if (error.code === 'missing' && !error.bucket)
      throw new ApiError(
        'NOT_FOUND',
        'The evidence was deleted from the storage destination',
        { runId, object },
        { cause: error },
      );
    const details = { step: 'read', reason: error.code };
    throw new ApiError('STORAGE_ERROR', `The evidence cannot be read: ${error.message}`, details, { cause: error });
  } finally {
    store?.close();
  }
};

const altered = (
  runId: string,
  {
    reference: { object, digest },
    reason,
    cause,
  }: { readonly reference: EvidenceReference; readonly reason: string; readonly cause?: unknown | undefined },
): ApiError =>
  new ApiError(
    'EVIDENCE_ALTERED',
    `The evidence was altered after it was signed: ${reason}`,
    { runId, object, digest },
    { cause },
  );
