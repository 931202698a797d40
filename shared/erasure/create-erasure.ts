import { type Identity, type LedgerEntry, sealErasures } from '../archive/index.ts';
import { type Actor, auditNote } from '../audit/index.ts';
import { ApiError } from '../contract/errors.ts';
import { erasuresPerProject } from '../contract/limits.ts';
import { enqueue } from '../event/index.ts';
import {
  type Change,
  create,
  get,
  iso,
  makeDataKey,
  StaleReadError,
  secureRandomBytes,
  type Tenant,
  update,
  type Write,
} from '../platform/index.ts';
import { whileNotMoving } from '../project/index.ts';
import { checkErasureInput, type ErasureInput, erasureContent } from './erasure-input.ts';
import { ledgerKey } from './read-ledger.ts';
import { type ErasureRecord, erasureKey, type LedgerRecord } from './record.ts';

interface NewErasure {
  readonly tenant: Tenant;
  readonly projectId: string;
  readonly actor: Actor;
  readonly id: string;
  readonly now: Date;
}

/** All entries of a ledger together; a reader holds them in memory. */
const ledgerMaxBytes = 8 << 20;

/** Paths that queries find are added up to here, so that there is always room for new erasures. */
export const foundPathsMaxBytes = ledgerMaxBytes / 2;

/** In force as soon as it is committed: every archive that is opened from then on hides the documents. */
export const createErasure = async (
  { tenant, projectId, actor, id, now }: NewErasure,
  input: ErasureInput,
): Promise<{ erasure: ErasureRecord; ledger: LedgerRecord; change: Change }> => {
  checkErasureInput(input);
  const createdAt = iso(now);
  const content = erasureContent(input, id, createdAt);
  const before = await get(erasureKey.ledger(tenant, projectId));
  const { ledger, dataKey } = before ? { ledger: before, dataKey: await ledgerKey(before) } : await newLedger(tenant, projectId);
  const version = ledger.version + 1;
  const { collection, field } = input.query ?? {};
  const erasure: ErasureRecord = {
    ...erasureKey.erasure(tenant, projectId, id),
    id,
    projectId,
    version,
    ...sealEntry(ledger.identity, content, { version, dataKey }),
    pathCount: content.paths.length,
    ...(field !== undefined && { query: { collection: collection ?? null, field } }),
    includeSubcollections: content.includeSubcollections,
    reason: input.reason,
    status: 'resolving',
    documentsFound: null,
    lastHeldBackupId: null,
    expiredAt: null,
    createdBy: actor,
    createdAt,
  };
  const after = { version, entries: ledger.entries + 1, bytes: ledger.bytes + erasure.sealed.length };
  if (after.entries > erasuresPerProject || after.bytes > ledgerMaxBytes)
    throw new ApiError(
      'CONFLICT',
      `A project can have at most ${erasuresPerProject} erasures, of ${ledgerMaxBytes} bytes in all`,
      {
        max: erasuresPerProject,
      },
    );
  // A query names documents by a value; how many they are is known once the backups are read.
  const found = input.query ? { query: true } : { paths: content.paths.length };
  return {
    erasure,
    ledger: { ...ledger, ...after },
    change: {
      writes: [
        before ? changeLedger(tenant, before, after) : create({ ...ledger, ...after }, () => new StaleReadError()),
        create(erasure),
        whileNotMoving(tenant, projectId),
        enqueue(tenant, { kind: 'store-erasures', projectId }, now),
        enqueue(tenant, { kind: 'assess-erasures', projectId, erasureId: id }, now),
      ],
      audit: [auditNote(tenant, { type: 'erasure', id, details: { projectId, ...found, reason: input.reason } })],
    },
  };
};

/** Compare-and-set of the ledger by its version. */
export const changeLedger = (
  tenant: Tenant,
  { projectId, version }: LedgerRecord,
  set: Partial<Pick<LedgerRecord, 'version' | 'entries' | 'bytes' | 'storedVersion'>>,
): Write =>
  update(erasureKey.ledger(tenant, projectId), {
    set,
    expected: { version },
    onConditionFailed: () => new StaleReadError(),
  });

export const sealEntry = (
  identity: Identity,
  content: LedgerEntry,
  { version, dataKey }: { readonly version: number; readonly dataKey: Buffer },
): Pick<ErasureRecord, 'sealed' | 'sealedVersion'> => ({
  sealed: sealErasures({ version, erasures: [content] }, { identity, dataKey, random: secureRandomBytes }),
  sealedVersion: version,
});

const newLedger = async (tenant: Tenant, projectId: string): Promise<{ ledger: LedgerRecord; dataKey: Buffer }> => {
  const identity: Identity = { organization: tenant.organizationId, project: projectId, backup: 'erasures' };
  const { plain, blob } = await makeDataKey({ ...identity });
  const ledger: LedgerRecord = {
    ...erasureKey.ledger(tenant, projectId),
    projectId,
    identity,
    wrappedKey: blob,
    version: 0,
    storedVersion: 0,
    round: 0,
    entries: 0,
    bytes: 0,
  };
  return { ledger, dataKey: plain };
};
