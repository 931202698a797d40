/** Reads the erasure ledger beside a backup, with the key of the backup. Erased documents are never shown. */
import {
  type ErasureLedger,
  erasuresFolder,
  erasuresName,
  erasuresVersion,
  type Identity,
  type Manifest,
  maxManifestBytes,
  openErasures,
} from '../../shared/archive/index.ts';
import { objectThat, readExpected, StorageError } from '../../shared/destination/index.ts';
import { ErasureFilter } from '../../shared/firestore/index.ts';
import { damaged, Failure, failureOf } from './failure.ts';
import type { BackupLocation } from './open-location.ts';
import { note, say } from './output.ts';
import type { ReadOnlyStore } from './store/read-only-directory-store.ts';
import { readSmallObject } from './store/read-small-object.ts';

interface ReadErasuresOptions {
  readonly identity: Identity;
  readonly dataKey: Buffer;
  /** Reads a backup whose ledger is missing; a ledger that exists is applied all the same. */
  readonly allowMissing: boolean;
}

/** Undefined if nothing was erased. */
export const readErasures = async (
  { store }: BackupLocation,
  manifest: Manifest,
  { identity, dataKey, allowMissing }: ReadErasuresOptions,
): Promise<ErasureFilter | undefined> => {
  const found = new Set<number>();
  for await (const { name } of store.list(erasuresFolder)) found.add(erasuresVersion(name) ?? 0);
  found.delete(0);
  const versions = [...found].sort((a, b) => b - a);
  const noted = typeof manifest.notes.erasures === 'number' ? manifest.notes.erasures : 0;
  const open = (range: readonly number[]): Promise<NewestLedger> => openNewest(store, range, { identity, dataKey });
  const newest = await open(versions.filter((version) => version >= noted));
  if (!newest.ledger && (noted > 0 || newest.failure))
    refuse(noted, { newest: versions[0], failure: newest.failure, allowMissing });
  const { ledger } = newest.ledger ? newest : await open(versions.filter((version) => version < noted));
  if (!ledger) return undefined;
  note(`erasure ledger, version ${ledger.version}: ${ledger.erasures.length} erasures are applied`);
  return new ErasureFilter(ledger.erasures, `${manifest.source}/documents/`);
};

interface BackupKey {
  readonly identity: Identity;
  readonly dataKey: Buffer;
}

interface NewestLedger {
  readonly ledger?: ErasureLedger;
  /** Of the newest object that is not genuine. */
  readonly failure?: Failure | undefined;
}

/** The newest version that the key of the backup opens: anyone with write access to the bucket can add others. */
const openNewest = async (store: ReadOnlyStore, versions: readonly number[], key: BackupKey): Promise<NewestLedger> => {
  let failure: Failure | undefined;
  for (const version of versions) {
    const ledger = await openVersion(store, version, key);
    if (!(ledger instanceof Failure)) return { ledger };
    say(`WARNING: ${ledger.message}. It was damaged, or is not an erasure ledger of this backup: erasures of it are not applied`);
    failure ??= ledger;
  }
  return { failure };
};

/** The failure if the object is not genuine, such as one that is encrypted with a foreign key. Throws if the store does not answer. */
const openVersion = async (store: ReadOnlyStore, version: number, key: BackupKey): Promise<ErasureLedger | Failure> => {
  const name = erasuresName(version);
  const open = (bytes: Uint8Array): Promise<ErasureLedger> => openErasures(bytes, { ...key, version });
  const expected = objectThat(name, maxManifestBytes, (bytes) => open(bytes).then(Boolean, () => false));
  try {
    return await readExpected(store, expected, async () => open(await readSmallObject(store, { folder: '', object: name })));
  } catch (error) {
    const failure = failureOf(error, name);
    if (failure.cause instanceof StorageError ? failure.cause.isTransient : failure.exitCode !== 1) throw failure;
    return failure;
  }
};

interface Refusal {
  readonly newest: number | undefined;
  readonly failure: Failure | undefined;
  readonly allowMissing: boolean;
}

/** The ledger was deleted, or replaced by an older one or by other bytes: documents would be shown that were erased. */
const refuse = (noted: number, { newest, failure, allowMissing }: Refusal): void => {
  const lack = failure ? failure.message : newest === undefined ? 'there is none' : `the newest is ${newest}`;
  const problem =
    noted === 0
      ? `no erasure ledger of the backup opens: ${lack}`
      : `the manifest states version ${noted} of the erasure ledger, but ${lack}`;
  if (!allowMissing && failure?.exitCode === 2) throw failure;
  if (!allowMissing)
    throw damaged(
      erasuresFolder,
      `${problem}. Restore the object, or pass --show-erased-documents-if-ledger-is-missing to read the backup nevertheless`,
    );
  say(`WARNING: ${problem}: erased documents may be shown`);
};
