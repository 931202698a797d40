import { storageEvents } from '../contract/event-data/storage-events.ts';
import {
  credentialsMissing,
  type DestinationRecord,
  destinationData,
  destinationKey,
  externalIdOf,
  hasCredentials,
  moveCredentials,
} from '../destination/index.ts';
import { emit } from '../event/index.ts';
import { type OrganizationRecord, organizationRef } from '../organization/index.ts';
import { create, getAll, iso, StaleReadError, update, type Write } from '../platform/index.ts';
import type { ProjectRecord } from '../project/index.ts';
import type { Tally } from './check-movable.ts';
import type { MoveContext } from './move-context.ts';

interface CopyOptions {
  readonly tally: Tally;
  /** The target organization. */
  readonly organization: OrganizationRecord;
  readonly withCredentials: boolean;
  readonly now: Date;
}

interface CopiedDestinations {
  readonly writes: readonly Write[];
  /** Destinations whose credentials the target organization did not have before. */
  readonly handedOver: readonly Pick<DestinationRecord, 'id' | 'name'>[];
  /** Destinations that the target organization cannot use before it sets their credentials. */
  readonly withoutCredentials: readonly Pick<DestinationRecord, 'id' | 'name'>[];
}

/** Copies the destinations of a project's backups, under the same ids, and adjusts the backup counts. Existing copies are kept. */
export const copyDestinations = async (
  move: MoveContext,
  { settings }: ProjectRecord,
  { tally, organization, withCredentials, now }: CopyOptions,
): Promise<CopiedDestinations> => {
  const { from, to } = move;
  const counts = new Map(tally.byDestination);
  if (settings.defaultStorageId) counts.set(settings.defaultStorageId, counts.get(settings.defaultStorageId) ?? 0);
  const ids = [...counts.keys()];
  const found = await getAll(ids.flatMap((id) => [destinationKey(from, id), destinationKey(to, id)]));
  const ref = organizationRef(organization);
  const copies = await Promise.all(
    ids.map(async (id, n) => {
      const [here, there] = found.slice(n * 2, n * 2 + 2);
      const count = counts.get(id) ?? 0;
      const leaves = here && count > 0 ? [counted(here, -count)] : [];
      const credentials =
        here && withCredentials && !(there && hasCredentials(there)) ? await credentialsFor(move, here) : undefined;
      if (!here || (there && !credentials))
        return { writes: [...leaves, ...(there && count > 0 ? [counted(there, count)] : [])] };
      const copy: DestinationRecord = {
        ...(there ?? withoutCredentials(here)),
        ...destinationKey(to, id),
        ...credentials,
        backupCount: count,
        updatedAt: iso(now),
      };
      const storage = destinationData(copy);
      const error = {
        code: 'STORAGE_ERROR',
        message: credentialsMissing,
        details: { step: 'credentials', kind: 'denied' },
      } as const;
      const event = credentials
        ? emit(to, { schemas: storageEvents, name: 'storage.connected', data: { organization: ref, storage }, now })
        : emit(to, { schemas: storageEvents, name: 'storage.error', data: { organization: ref, storage, error }, now });
      return { writes: [...leaves, there ? completed(there, copy) : create(copy, stale), event], copy };
    }),
  );
  const named = (isHandedOver: boolean) =>
    copies.flatMap(({ copy }) =>
      copy && (copy.sealed !== undefined) === isHandedOver ? [{ id: copy.id, name: copy.name }] : [],
    );
  return { writes: copies.flatMap(({ writes }) => writes), handedOver: named(true), withoutCredentials: named(false) };
};

const stale = () => new StaleReadError();

const counted = ({ pk, sk }: DestinationRecord, amount: number): Write =>
  update({ pk, sk }, { add: { backupCount: amount }, onConditionFailed: stale });

/** Adds the credentials to a copy that an earlier move made without them. */
const completed = (
  { pk, sk }: DestinationRecord,
  { sealed, masked, externalId, status, lastError, lastTestedAt, backupCount, updatedAt }: DestinationRecord,
) =>
  update(
    { pk, sk },
    {
      set: { sealed, masked, externalId, status, lastError, lastTestedAt, updatedAt },
      add: { backupCount },
      expected: { sealed: undefined, workloadIdentity: undefined },
      onConditionFailed: stale,
    },
  );

type StoredCredentials = Pick<DestinationRecord, 'sealed' | 'masked' | 'externalId' | 'status' | 'lastError' | 'lastTestedAt'>;

const credentialsFor = async ({ from, to }: MoveContext, here: DestinationRecord): Promise<StoredCredentials | undefined> => {
  const sealed = await moveCredentials(from, to, here);
  if (!sealed) return undefined;
  const { masked, status, lastError, lastTestedAt, externalId = externalIdOf(from) } = here;
  // The customer's role expects the external id it was set up with.
  return { sealed, masked, status, lastError, lastTestedAt, ...('roleArn' in masked && { externalId }) };
};

/** The location only. A role is a credential, too, and stays, as a workload identity does: its pool trusts the former organization. */
const withoutCredentials = ({
  sealed: _sealed,
  workloadIdentity: _identity,
  externalId: _externalId,
  ...location
}: DestinationRecord): DestinationRecord => ({
  ...location,
  masked: {},
  status: 'error',
  lastTestedAt: null,
});
