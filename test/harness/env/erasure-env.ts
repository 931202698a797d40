/** The environment of erasures: point-in-time recovery, and a KMS engine for the key of the ledger. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKmsEngine } from '../../../infra/local/engines/kms/kms-engine.ts';
import { createErasure, type ErasureInput, type ErasureRecord, erasureKey } from '../../../shared/erasure/index.ts';
import { expireCaptures, searchCaptures } from '../../../shared/pitr/index.ts';
import { after, type Clock, commit, newId } from '../../../shared/platform/index.ts';
import { type ArchiveDeps, assessErasures } from '../../../shared/stored-backup/index.ts';
import { replaceWire, wireAction, wireAnswer, wireText } from '../aws/aws-wire.ts';
import { createEnv } from './backup-env.ts';
import { PointInTimeEnv } from './point-in-time-env.ts';

const keyArn = 'arn:aws:kms:eu-central-1:111122223333:key/data';

interface AssessTask {
  readonly clock?: Clock;
  readonly seconds?: number;
  readonly deps?: ArchiveDeps;
  readonly erasureId?: string | undefined;
  readonly from?: string | undefined;
}

/** Answers calls to KMS with an engine, for the key of the ledger. */
export const serveLedgerKey = async (): Promise<void> => {
  const kms = openKmsEngine({ dir: mkdtempSync(join(tmpdir(), 'keys-')), region: 'eu-central-1', account: '111122223333' });
  await kms.provision({ logicalId: 'data', type: 'AWS::KMS::Key', name: 'data', arn: keyArn, properties: {} });
  replaceWire(async (request, network) => {
    const { service, action } = wireAction(request);
    if (service !== 'TrentService') return network();
    return wireAnswer(200, (kms.call({ action, input: JSON.parse(wireText(request)) }) ?? {}) as object);
  });
  process.env.DATA_KEY_ID = keyArn;
};

type Erasure = Pick<ErasureInput, 'paths' | 'query'> & Partial<ErasureInput>;

/** Like POST /projects/{projectId}/erasures. Returns the id of the entry. */
export const eraseDocuments = async (
  { tenant, projectId, clock }: Pick<PointInTimeEnv, 'tenant' | 'projectId' | 'clock'>,
  input: Erasure,
): Promise<string> => {
  const now = clock.now();
  const id = newId('erasure', now);
  const { change } = await createErasure(
    { tenant, projectId, actor: { type: 'user', id: newId('user'), email: 'ada@example.com' }, id, now },
    { includeSubcollections: true, reason: 'Request 4711', ...input },
  );
  await commit(change.writes);
  return id;
};

export const createErasureEnv = (): Promise<ErasureEnv> => createEnv(ErasureEnv);

export class ErasureEnv extends PointInTimeEnv {
  override async start(): Promise<void> {
    await super.start();
    await serveLedgerKey();
  }

  erase(input: Erasure): Promise<string> {
    return eraseDocuments(this, input);
  }

  erasureOf(id: string): ErasureRecord {
    return this.table.get<ErasureRecord>(erasureKey.erasure(this.tenant, this.projectId, id))!;
  }

  /** One task that searches the backups and the captured changes. */
  async assess({ clock = this.clock, seconds = 300, deps = this.deps, ...task }: AssessTask = {}): Promise<void> {
    const deadline = after(clock.now(), seconds);
    const { openStore, dataKeyOf } = deps;
    await assessErasures(
      this.tenant,
      { projectId: this.projectId, ...task },
      {
        deadline,
        clock,
        openStore,
        dataKeyOf,
        searchCaptures: (tenant, { projectId, erasure, ...search }) =>
          searchCaptures(tenant, { projectId, erasure, options: { ...search, until: deadline, clock, deps } }),
      },
    );
  }

  expireCaptures(): Promise<void> {
    return expireCaptures(this.tenant, this.projectId, { ...this.deps, until: after(this.clock.now(), 60) });
  }
}
