import { type DestinationRecord, destinationData, destinationKey, externalIdOf, moveCredentials } from '../destination/index.ts';
import { emit } from '../event/index.ts';
import { type OrganizationRecord, organizationKey, organizationRef } from '../organization/index.ts';
import { create, getAll, iso, StaleReadError, update, type Write } from '../platform/index.ts';
import type { ProjectRecord } from '../project/index.ts';
import type { Tally } from './check-movable.ts';
import type { MoveContext } from './move-context.ts';

interface CopiedDestinations {
  readonly writes: readonly Write[];
  /** Destinations whose credentials the target organization did not have before. */
  readonly handedOver: readonly Pick<DestinationRecord, 'id' | 'name'>[];
}

/** Copies the destinations of a project's backups, under the same ids, and adjusts the backup counts. Existing copies are kept. */
export const copyDestinations = async (
  move: MoveContext,
  { settings }: ProjectRecord,
  { byDestination }: Tally,
  organization: OrganizationRecord,
  now: Date,
): Promise<CopiedDestinations> => {
  const { from, to } = move;
  const counts = new Map(byDestination);
  if (settings.defaultStorageId) counts.set(settings.defaultStorageId, counts.get(settings.defaultStorageId) ?? 0);
  const ids = [...counts.keys()];
  const found = await getAll(ids.flatMap((id) => [destinationKey(from, id), destinationKey(to, id)]));
  const handedOver: { id: string; name: string }[] = [];
  const writes = await Promise.all(
    ids.map(async (id, n): Promise<readonly Write[]> => {
      const [here, there] = found.slice(n * 2, n * 2 + 2);
      const count = counts.get(id) ?? 0;
      if (here && !there) handedOver.push({ id, name: here.name });
      return [
        ...(here && count > 0 ? [counted(here, -count)] : []),
        ...(there && count > 0 ? [counted(there, count)] : []),
        ...(here && !there ? await copyDestination(move, here, count, organization, now) : []),
      ];
    }),
  );
  return { writes: writes.flat(), handedOver };
};

const counted = ({ pk, sk }: DestinationRecord, amount: number): Write =>
  update({ pk, sk }, { add: { backupCount: amount }, onConditionFailed: () => new StaleReadError() });

const copyDestination = async (
  { from, to }: MoveContext,
  here: DestinationRecord,
  backupCount: number,
  organization: OrganizationRecord,
  now: Date,
): Promise<readonly Write[]> => {
  const record: DestinationRecord = {
    ...here,
    ...organizationKey.storageDestination(to, here.id),
    sealed: await moveCredentials(from, to, here),
    // The customer's role expects the external id it was set up with.
    ...('roleArn' in here.masked && { externalId: here.externalId ?? externalIdOf(from) }),
    backupCount,
    updatedAt: iso(now),
  };
  return [
    create(record, () => new StaleReadError()),
    emit(to, 'storage.connected', { organization: organizationRef(organization), storage: destinationData(record) }, now),
  ];
};
